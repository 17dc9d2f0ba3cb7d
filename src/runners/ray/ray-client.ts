import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

import WebSocket from 'ws';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { messageOf } from '../../errors/message-of.js';
import type { RayAddress } from './ray-address.js';

/** The state of a job, as the Jobs API names it. */
export interface RayJob {
  readonly status: 'PENDING' | 'RUNNING' | 'STOPPED' | 'SUCCEEDED' | 'FAILED';
  readonly message?: string | null;
  readonly error_type?: string | null;
  readonly driver_exit_code?: number | null;
}

export interface JobRequest {
  readonly entrypoint: string;
  readonly submission_id: string;
  readonly runtime_env: {
    readonly working_dir?: string;
    readonly env_vars: { readonly [name: string]: string };
  };
  readonly metadata: { readonly [name: string]: string };
  readonly entrypoint_num_cpus: number;
  readonly entrypoint_num_gpus: number;
  readonly entrypoint_memory?: number;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly retryAfter?: number;
}

/** The version of the Jobs API that this file speaks. */
const API_VERSION = '4';
const requestMilliseconds = 60_000;
/** Longest pause between two attempts, in milliseconds. */
const longestPause = 10_000;

/**
 * Speaks Ray's Jobs API (Ray 2.58 to 2.60, `ray/dashboard/modules/job/job_head.py`). Requests are repeated while the head
 * is out of reach. They use node:http: the dashboard refuses to change anything for a client that says it is a browser
 * (405), and the built-in fetch does.
 */
export class RayClient {
  readonly url: string;
  readonly #headers: { readonly [name: string]: string };

  /** @param outageMilliseconds how long the head may be out of reach */
  constructor(
    address: RayAddress,
    private readonly outageMilliseconds: number,
  ) {
    this.url = address.url;
    this.#headers = address.headers;
  }

  /** @throws AG_RUNNER_UNAVAILABLE if there is no head with this version of the API; it is asked once */
  async checkVersion(signal: AbortSignal): Promise<void> {
    const reply = await this.#tryOnce('GET', '/api/version', undefined, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw this.#unavailable(`cannot be reached (${messageOf(error)})`, error);
    });
    const { version, ray_version: ray } = this.#json(reply, '/api/version') as {
      version?: string;
      ray_version?: string;
    };
    if (version === API_VERSION) return;
    throw this.#unavailable(`speaks version ${version} of the Jobs API (Ray ${ray}), not ${API_VERSION}`);
  }

  /** Processor cores and GPUs of all living nodes, and their number. */
  async resources(
    signal: AbortSignal,
  ): Promise<{ readonly nodes: number; readonly cpus: number; readonly gpus: number }> {
    const found = await this.#ask('GET', '/api/v0/nodes?limit=10000&detail=True', undefined, signal);
    const nodes =
      (found as { data?: { result?: { result?: readonly RayNode[] } } }).data?.result?.result?.filter(
        ({ state }) => state === 'ALIVE',
      ) ?? [];
    const sum = (name: string) => nodes.reduce((all, node) => all + (node.resources_total?.[name] ?? 0), 0);
    return { nodes: nodes.length, cpus: sum('CPU'), gpus: sum('GPU') };
  }

  /** Uploads a package unless the head has it. Returns the URI for `working_dir`. */
  async upload(name: string, bytes: Buffer, signal: AbortSignal): Promise<string> {
    const path = `/api/packages/gcs/${name}`;
    const { status } = await this.#send('GET', path, undefined, signal);
    if (status === 404) {
      const reply = await this.#send('PUT', path, bytes, signal);
      if (reply.status !== 200) throw this.#refused(reply, path);
    }
    return `gcs://${name}`;
  }

  /** Undefined if the head does not know the job. */
  async job(id: string, signal: AbortSignal): Promise<RayJob | undefined> {
    const reply = await this.#send('GET', `/api/jobs/${id}`, undefined, signal);
    return reply.status === 404 ? undefined : (this.#json(reply, `/api/jobs/${id}`) as RayJob);
  }

  /** Submits a job once: the head answers 500 to an id that it knows, so it is asked first, also after a lost answer. */
  async submit(request: JobRequest, signal: AbortSignal): Promise<void> {
    const until = performance.now() + this.outageMilliseconds;
    for (let attempt = 0; ; attempt += 1) {
      if ((await this.job(request.submission_id, signal)) !== undefined) return;
      let problem: string;
      try {
        const reply = await this.#tryOnce('POST', '/api/jobs/', json(request), signal);
        if (reply.status === 200) return;
        if (reply.status < 500 && reply.status !== 429) throw this.#refused(reply, '/api/jobs/');
        problem = `answered ${reply.status} to a job: ${shorten(reply.text)}`;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AgentgymError) throw error;
        problem = messageOf(error);
      }
      if (performance.now() > until) throw this.#unavailable(problem);
      await sleep(pause(attempt), undefined, { signal });
    }
  }

  async stop(id: string, signal: AbortSignal): Promise<void> {
    await this.#send('POST', `/api/jobs/${id}/stop`, Buffer.alloc(0), signal);
  }

  /** Removes what the head keeps of a job that has ended. */
  async delete(id: string, signal: AbortSignal): Promise<void> {
    await this.#send('DELETE', `/api/jobs/${id}`, undefined, signal);
  }

  /** All output of a job so far. */
  async logs(id: string, signal: AbortSignal): Promise<string> {
    return ((await this.#ask('GET', `/api/jobs/${id}/logs`, undefined, signal)) as { logs?: string }).logs ?? '';
  }

  /** The output of a job from its beginning, in parts, until the job ends or the connection does. */
  async *tail(id: string, signal: AbortSignal): AsyncGenerator<string> {
    const socket = new WebSocket(`${this.url.replace(/^http/, 'ws')}/api/jobs/${id}/logs/tail`, {
      headers: this.#headers,
      // With compression, the dashboard closes the connection at once and sends nothing.
      perMessageDeflate: false,
      handshakeTimeout: requestMilliseconds,
    });
    const parts: string[] = [];
    let [ended, wake] = [false, () => {}];
    const end = () => {
      ended = true;
      wake();
    };
    const leave = () => socket.terminate();
    socket.on('message', (data: Buffer) => {
      parts.push(data.toString('utf8'));
      wake();
    });
    // After an error follows a close.
    socket.on('error', () => {}).on('close', end);
    signal.addEventListener('abort', leave, { once: true });
    try {
      for (;;) {
        for (let part = parts.shift(); part !== undefined; part = parts.shift()) yield part;
        if (ended || signal.aborted) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', leave);
      leave();
    }
  }

  async #ask(method: string, path: string, body: Buffer | undefined, signal: AbortSignal): Promise<unknown> {
    return this.#json(await this.#send(method, path, body, signal), path);
  }

  /** Repeats a request that may be repeated, until an answer comes that another try would not change. */
  async #send(method: string, path: string, body: Buffer | undefined, signal: AbortSignal): Promise<Reply> {
    const until = performance.now() + this.outageMilliseconds;
    for (let attempt = 0; ; attempt += 1) {
      let problem: string;
      let wait = pause(attempt);
      try {
        const reply = await this.#tryOnce(method, path, body, signal);
        if (reply.status === 401 || reply.status === 403) throw this.#refused(reply, path);
        if (reply.status < 500 && reply.status !== 429) return reply;
        problem = `answered ${reply.status}: ${shorten(reply.text)}`;
        wait = reply.retryAfter ?? wait;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AgentgymError) throw error;
        problem = `cannot be reached (${messageOf(error)})`;
      }
      if (performance.now() + wait > until) {
        throw this.#unavailable(`${problem}; tried for ${Math.round(this.outageMilliseconds / 60_000)} minutes`);
      }
      await sleep(wait, undefined, { signal });
    }
  }

  #tryOnce(method: string, path: string, body: Buffer | undefined, signal: AbortSignal): Promise<Reply> {
    const { request } = this.url.startsWith('https:') ? https : http;
    return new Promise((resolve, reject) => {
      const sent = request(`${this.url}${path}`, {
        method,
        headers: {
          ...this.#headers,
          ...(body !== undefined && { 'Content-Type': 'application/json', 'Content-Length': body.length }),
        },
        timeout: requestMilliseconds,
        signal,
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.on('error', reject);
      sent.on('response', (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        // A connection that breaks within an answer ends without `end`.
        response.on('aborted', () => reject(new Error('half an answer')));
        response.on('end', () => {
          const seconds = Number(response.headers['retry-after']);
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(parts).toString('utf8'),
            ...(Number.isFinite(seconds) && { retryAfter: Math.max(0, 1000 * seconds) }),
          });
        });
      });
      sent.end(body);
    });
  }

  #json(reply: Reply, path: string): unknown {
    if (reply.status !== 200) throw this.#refused(reply, path);
    try {
      return JSON.parse(reply.text);
    } catch (error) {
      const what = `answered ${path} with no JSON: ${shorten(reply.text)}; it may not be the dashboard of Ray`;
      throw this.#unavailable(what, error);
    }
  }

  #refused({ status, text }: Reply, path: string): AgentgymError {
    if (status === 401 || status === 403) {
      return new AgentgymError('AG_RUNNER_UNAVAILABLE', {
        message: `${this.url} refuses the token (${status}).`,
        hint: 'Set RAY_AUTH_TOKEN to the token of the cluster; on its head, `ray get-auth-token` prints it.',
      });
    }
    return this.#unavailable(`answered ${path} with ${status}: ${shorten(text)}`);
  }

  #unavailable(problem: string, cause?: unknown): AgentgymError {
    return new AgentgymError('AG_RUNNER_UNAVAILABLE', { message: `${this.url} ${problem}.`, cause });
  }
}

interface RayNode {
  readonly state?: string;
  readonly resources_total?: { readonly [name: string]: number };
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function pause(attempt: number): number {
  return Math.min(longestPause, 250 * 2 ** attempt);
}

/** The last line of a traceback says what happened. */
function shorten(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').slice(0, 300);
}
