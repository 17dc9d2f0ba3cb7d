import { setTimeout as sleep } from 'node:timers/promises';

import WebSocket, { createWebSocketStream } from 'ws';

import type { JsonPlace } from '../../contracts/wire.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { boundedFetch } from '../../transfers/bounded-fetch.js';
import { FailedRequest } from '../../transfers/failed-request.js';
import { openJson, shownText } from '../../transfers/open-json.js';
import { readParts } from '../../transfers/read-parts.js';
import type { AnswerListener } from '../../transfers/tell-waits.js';
import type { RayAddress } from './ray-address.js';

const states = ['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED'] as const;

/** The state of a job, as the Jobs API names it. */
export interface RayJob {
  readonly status: (typeof states)[number];
  readonly message?: string | undefined;
  readonly driver_exit_code?: number | undefined;
}

export interface JobRequest {
  readonly entrypoint: string;
  readonly submission_id: string;
  readonly runtime_env: {
    readonly working_dir?: string | undefined;
    readonly env_vars: { readonly [name: string]: string };
  };
  readonly metadata: { readonly [name: string]: string };
  readonly entrypoint_num_cpus: number;
  readonly entrypoint_num_gpus: number;
  readonly entrypoint_memory?: number | undefined;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  /** Milliseconds that the head asks to wait. */
  readonly retryAfter?: number | undefined;
}

/** The version of the Jobs API that this file speaks. */
const API_VERSION = '4';
const requestSeconds = 60;
/** A head that takes longer to say its version cannot serve a run. */
const versionSeconds = 20;
/** Slowest upload that is not a stall, in bytes per second. */
const slowestUpload = 100_000;
/** Bytes of the longest message with output. Ray sends at most 20,000 characters at a time. */
const longestMessage = 2 ** 22;
/** More than any cluster has of anything. */
const mostResources = 1e9;
/** Longest pause between two attempts, in milliseconds. */
const longestPause = 10_000;

/**
 * Speaks Ray's Jobs API (Ray 2.58 to 2.60, `ray/dashboard/modules/job/job_head.py`). Requests are repeated while the head
 * is out of reach.
 */
export class RayClient {
  readonly url: string;
  readonly #headers: { readonly [name: string]: string };

  /**
   * @param outageMilliseconds how long the head may be out of reach
   * @param hear hears every answer
   */
  constructor(
    address: RayAddress,
    private readonly outageMilliseconds: number,
    private readonly hear: AnswerListener,
  ) {
    this.url = address.url;
    this.#headers = address.headers;
  }

  /** @throws AG_RUNNER_UNAVAILABLE if there is no head with this version of the API; it is asked once */
  async checkVersion(signal: AbortSignal): Promise<void> {
    const reply = await this.#tryOnce('GET', '/api/version', undefined, signal, versionSeconds).catch(
      (error: unknown) => {
        throw error instanceof FailedRequest ? this.#unavailable(reasonOf(error), error) : error;
      },
    );
    const answer = this.#json(reply, '/api/version');
    const [version, ray] = [answer.member('version').text(), answer.member('ray_version')];
    if (version === API_VERSION) return;
    const of = ray.isAbsent ? '' : ` (Ray ${shorten(ray.text())})`;
    throw this.#unavailable(`speaks version ${shorten(version)} of the Jobs API${of}, not ${API_VERSION}`);
  }

  /** Processor cores and GPUs of all living nodes, and their number. */
  async resources(
    signal: AbortSignal,
  ): Promise<{ readonly nodes: number; readonly cpus: number; readonly gpus: number }> {
    const path = '/api/v0/nodes?limit=10000&detail=True';
    const nodes = this.#json(await this.#send('GET', path, undefined, signal), path)
      .member('data')
      .member('result')
      .member('result')
      .items()
      .filter((node) => node.member('state').value === 'ALIVE')
      .map((node) => node.member('resources_total'));
    const sum = (name: string) =>
      nodes.reduce((all, resources) => {
        const own = resources.isAbsent ? resources : resources.member(name);
        return all + (own.isAbsent ? 0 : own.number(0, mostResources));
      }, 0);
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
    return reply.status === 404 ? undefined : readJob(this.#json(reply, `/api/jobs/${id}`));
  }

  /** Submits a job once: the head answers 500 to an id that it knows, so it is asked first, also after a lost answer. */
  async submit(request: JobRequest, signal: AbortSignal): Promise<void> {
    const path = '/api/jobs/';
    const reply = await this.#repeat(path, signal, async () => {
      if ((await this.job(request.submission_id, signal)) !== undefined) return { status: 200, text: '' };
      return this.#tryOnce('POST', path, Buffer.from(JSON.stringify(request)), signal);
    });
    if (reply.status !== 200) throw this.#refused(reply, path);
  }

  async stop(id: string, signal: AbortSignal): Promise<void> {
    await this.#send('POST', `/api/jobs/${id}/stop`, Buffer.alloc(0), signal);
  }

  /** Removes what the head keeps of a job that has ended. */
  async delete(id: string, signal: AbortSignal): Promise<void> {
    await this.#send('DELETE', `/api/jobs/${id}`, undefined, signal);
  }

  /**
   * The output of a job from its beginning, in parts, until the job ends or the connection does. A connection on which the
   * head answers no ping for a minute has ended.
   */
  async *tail(id: string, signal: AbortSignal): AsyncGenerator<string> {
    const socket = new WebSocket(`${this.url.replace(/^http/, 'ws')}/api/jobs/${id}/logs/tail`, {
      headers: this.#headers,
      // With compression, the dashboard closes the connection at once and sends nothing.
      perMessageDeflate: false,
      handshakeTimeout: 1000 * requestSeconds,
      maxPayload: longestMessage,
    });
    let isAlive = true;
    socket.on('pong', () => (isAlive = true));
    const heart = setInterval(() => {
      // A connection that is held hears no answer.
      if (!isAlive && !socket.isPaused) socket.terminate();
      else if (socket.readyState === WebSocket.OPEN) socket.ping();
      isAlive = false;
    }, 1000 * requestSeconds);
    const leave = () => socket.terminate();
    signal.addEventListener('abort', leave, { once: true });
    try {
      for await (const part of readParts(createWebSocketStream(socket))) yield part.toString('utf8');
    } catch (error) {
      // After any other error, the output is asked for again.
      if ((error as NodeJS.ErrnoException).code !== 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return;
      throw this.#unavailable(`sent more than ${longestMessage / 2 ** 20} MiB of output at a time`);
    } finally {
      signal.removeEventListener('abort', leave);
      clearInterval(heart);
      leave();
    }
  }

  async #send(method: string, path: string, body: Buffer | undefined, signal: AbortSignal): Promise<Reply> {
    return this.#repeat(path, signal, () => this.#tryOnce(method, path, body, signal));
  }

  /** Repeats a request that may be repeated, until an answer comes that another try would not change. */
  async #repeat(path: string, signal: AbortSignal, ask: () => Promise<Reply>): Promise<Reply> {
    const begun = performance.now();
    const until = begun + this.outageMilliseconds;
    for (let attempt = 0; ; attempt += 1) {
      let problem: string;
      let wait = Math.min(longestPause, 250 * 2 ** attempt);
      try {
        const reply = await ask();
        if (reply.status === 401 || reply.status === 403) throw this.#refused(reply, path);
        if (reply.status < 500 && reply.status !== 429) return reply;
        problem = `answered ${reply.status}: ${shorten(reply.text)}`;
        wait = reply.retryAfter ?? wait;
      } catch (error) {
        problem = this.#passingProblem(error, signal);
      }
      if (performance.now() + wait > until) {
        throw this.#unavailable(`${problem}; ${triedFor(begun, attempt + 1)}`);
      }
      await sleep(wait, undefined, { signal });
    }
  }

  async #tryOnce(
    method: string,
    path: string,
    body: Buffer | undefined,
    signal: AbortSignal,
    seconds = requestSeconds,
  ): Promise<Reply> {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const init = { method, headers: { ...this.#headers, ...type }, body: body ? new Uint8Array(body) : null, signal };
    const response = await boundedFetch(`${this.url}${path}`, init, {
      totalSeconds: seconds + (body?.length ?? 0) / slowestUpload,
    });
    this.hear(response);
    const wait = response.headers.get('retry-after');
    const retryAfter = wait === null ? undefined : 1000 * Number(wait);
    return { status: response.status, text: await response.text(), retryAfter };
  }

  /** What is wrong with the head, if it may pass. Throws every other error. */
  #passingProblem(error: unknown, signal: AbortSignal): string {
    signal.throwIfAborted();
    if (!(error instanceof FailedRequest)) throw error;
    if (!error.mayPass) throw this.#unavailable(reasonOf(error), error);
    return reasonOf(error);
  }

  #json(reply: Reply, path: string): JsonPlace {
    if (reply.status !== 200) throw this.#refused(reply, path);
    return openJson(reply.text, (problem) => {
      const doubt = problem.startsWith('no JSON') ? '; it may not be the dashboard of Ray' : '';
      return this.#unavailable(`answered ${path.split('?')[0]} with ${problem}${doubt}`);
    });
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

function readJob(job: JsonPlace): RayJob {
  const [state, message, code] = [job.member('status'), job.member('message'), job.member('driver_exit_code')];
  const status = states.find((one) => one === state.text()) ?? state.fail('no state of a job');
  return {
    status,
    message: message.isAbsent ? undefined : message.text(),
    driver_exit_code: code.isAbsent ? undefined : code.integer(),
  };
}

/** In brackets, because the message of a failure begins with the host, too. */
function reasonOf({ kind, message }: FailedRequest): string {
  const [, code] = /\(([^()]+)\)$/.exec(message) ?? [];
  return kind === 'unreachable' && code !== undefined ? `cannot be reached (${code})` : `cannot be used (${message})`;
}

/** How long a request was tried, in a unit that fits. */
function triedFor(begun: number, attempts: number): string {
  if (attempts === 1) return 'it was asked once';
  const seconds = (performance.now() - begun) / 1000;
  const time = seconds < 120 ? `${seconds.toFixed(seconds < 10 ? 1 : 0)} s` : `${Math.round(seconds / 60)} minutes`;
  return `it was asked ${attempts} times in ${time}`;
}

/** The last line of a traceback says what happened. */
function shorten(text: string): string {
  return shownText(text.slice(-10_000).trim().split('\n').at(-1) ?? '', 300);
}
