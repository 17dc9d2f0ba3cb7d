import { setTimeout as sleep } from 'node:timers/promises';

import type { HostFetch, JsonPlace, OpenJson, WireFailure, WireLimits } from '@agentgym/cli';

/** The server cannot be used any more: nothing else would work either. */
export class Unavailable extends Error {
  readonly code = 'UNAVAILABLE';
}

/** The server refused a request. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ConnectionSettings {
  /** Without a secret; it is shown in messages. */
  readonly url: string;
  readonly key: string | undefined;
  readonly keyVariable: string;
  readonly outageMilliseconds: number;
  /** Those of the host. */
  readonly fetch: HostFetch;
  readonly openJson: OpenJson;
}

export interface Request {
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** An object is sent as JSON, bytes as protobuf. */
  readonly body?: object | Uint8Array;
  readonly signal: AbortSignal;
  /** Default: 60,000. */
  readonly milliseconds?: number;
  /** Longest answer; default: 4 MiB. */
  readonly mostBytes?: number;
  /** The server may hold it for longer: no answer in time then counts as status 408. */
  readonly isPoll?: boolean;
  /** Whether a failure of the server (status 500) refuses the request, instead of repeating it. */
  readonly isProbe?: boolean;
}

export interface Reply {
  readonly status: number;
  readonly isProtobuf: boolean;
  readonly bytes: Uint8Array;
}

/** Statuses that callers read themselves: the result is not ready, or was thrown away. */
const ANSWERS = new Set([408, 410]);
const PROTOBUF = 'application/x-protobuf';
const MOST_BYTES = 2 ** 22;
/** Failures after which the server may answer. The others stay until somebody does something. */
const PASSING: readonly WireFailure['kind'][] = ['late', 'broken', 'malformed', 'unreachable'];

/**
 * Sends requests, and repeats them while the server is away, fails, or has a rate limit. All requests to train carry a
 * number, so that a server takes a repeated one once.
 */
export class Connection {
  readonly #settings: ConnectionSettings;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** The JSON that answers a request. */
  async ask(request: Request): Promise<JsonPlace> {
    return this.open(await this.send(request), request.path);
  }

  /** The document of an answer. Whatever is wrong with it is `Unavailable`: a server does not change its ways. */
  open({ bytes }: Reply, path: string): JsonPlace {
    return this.#settings.openJson(new TextDecoder().decode(bytes), (problem) => this.fault(path, problem));
  }

  /** The error of an answer that makes no sense. @param problem goes on the sentence */
  fault(path: string, problem: string): Unavailable {
    return new Unavailable(`${this.#settings.url} answered ${path} with ${problem}. Is it a Tinker server?`);
  }

  /**
   * @throws Refused for a status that another try would not change
   * @throws Unavailable if the server stays away, or refuses the key
   */
  async send(request: Request): Promise<Reply> {
    const { outageMilliseconds, url } = this.#settings;
    let failedSince: number | undefined;
    for (let attempt = 0; ; attempt += 1) {
      request.signal.throwIfAborted();
      const failure = await this.#try(request);
      if ('status' in failure) return failure;
      failedSince ??= performance.now();
      const wait = failure.wait ?? Math.min(10_000, 250 * 2 ** attempt);
      if (performance.now() - failedSince + wait > outageMilliseconds) {
        throw new Unavailable(`${url} ${failure.problem} Tried for ${outageMilliseconds / 1000} s.`);
      }
      // Each wait has a signal of its own: Node warns of many listeners on one, and many requests may wait.
      await sleep(wait, undefined, { signal: AbortSignal.any([request.signal]) });
    }
  }

  async #try(request: Request): Promise<Reply | { readonly problem: string; readonly wait?: number }> {
    const { fetch, key, keyVariable, url } = this.#settings;
    const { body, method = 'POST', milliseconds = 60_000, mostBytes = MOST_BYTES, path, signal } = request;
    const isBinary = body instanceof Uint8Array;
    const init = {
      method,
      headers: {
        Accept: `${PROTOBUF}, application/json`,
        ...(body !== undefined && { 'Content-Type': isBinary ? PROTOBUF : 'application/json' }),
        ...(key !== undefined && { 'X-API-Key': key }),
      },
      ...(body !== undefined && { body: isBinary ? new Uint8Array(body) : JSON.stringify(body) }),
      signal,
    };
    const limits: WireLimits = { totalSeconds: milliseconds / 1000, mostBytes, redirects: 'refuse' };
    let reply: Reply;
    let retryAfter: string | null;
    try {
      const response = await fetch(`${url}/${path}`, init, limits);
      const isProtobuf = (response.headers.get('content-type') ?? '').startsWith(PROTOBUF);
      retryAfter = response.headers.get('retry-after');
      reply = { status: response.status, isProtobuf, bytes: new Uint8Array(await response.arrayBuffer()) };
    } catch (error) {
      signal.throwIfAborted();
      const { kind, message, name } = error as WireFailure;
      if (name !== 'WireFailure') throw error;
      if (!PASSING.includes(kind)) throw new Unavailable(`${url}: ${message}.`, { cause: error });
      if (kind !== 'late') return { problem: `cannot be reached (${/\(([^()]+)\)$/.exec(message)?.[1] ?? message}).` };
      if (request.isPoll === true) return { status: 408, isProtobuf: false, bytes: new Uint8Array() };
      return { problem: 'does not answer in time.', wait: 0 };
    }
    const { status } = reply;
    if (status < 300 || ANSWERS.has(status)) return reply;
    const told = `${url} answered ${path} with ${status}: ${detailOf(reply.bytes)}`;
    if (status === 401 || status === 403) throw new Unavailable(`${told} The key is read from ${keyVariable}.`);
    // 425: SkyRL is still writing the checkpoint.
    const isRefusal = status === 500 && request.isProbe === true;
    if (!isRefusal && (status === 429 || status === 425 || status >= 500)) {
      const wait = retryAfter === null ? undefined : 1000 * Number(retryAfter);
      return {
        problem: `answered ${path} with ${status}: ${detailOf(reply.bytes)}`,
        ...(wait !== undefined && { wait }),
      };
    }
    throw new Refused(status, told);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a server says about an error: `detail` of FastAPI, or the text itself. */
function detailOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  const value = parse(text) as { readonly detail?: unknown; readonly error?: unknown } | undefined;
  const detail = value?.detail ?? value?.error ?? text;
  return shorten(typeof detail === 'string' ? detail : JSON.stringify(detail));
}

/** Servers may answer whole pages. Ends with a full stop. */
function shorten(text: string): string {
  const line = text
    .slice(0, 3000)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  const short = line.length > 300 ? `${line.slice(0, 300)} …` : line;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}
