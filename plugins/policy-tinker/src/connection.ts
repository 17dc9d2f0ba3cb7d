import { setTimeout as sleep } from 'node:timers/promises';

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
}

export interface Request {
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** An object is sent as JSON, bytes as protobuf. */
  readonly body?: object | Uint8Array;
  readonly signal: AbortSignal;
  /** Default: 60,000. */
  readonly milliseconds?: number;
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

/**
 * Sends requests, and repeats them while the server is away, fails, or has a rate limit. All requests to train carry a
 * number, so that a server takes a repeated one once.
 */
export class Connection {
  readonly #settings: ConnectionSettings;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** The JSON object that answers a request. */
  async ask(request: Request): Promise<{ readonly [member: string]: unknown }> {
    return this.readObject(await this.send(request), request.path);
  }

  /** @throws Unavailable if it is no JSON object */
  readObject({ bytes }: Reply, path: string): { readonly [member: string]: unknown } {
    const text = new TextDecoder().decode(bytes);
    const value = parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as { [member: string]: unknown };
    const { url } = this.#settings;
    throw new Unavailable(`${url} answered ${path} with no JSON object: ${shorten(text)} Is it a Tinker server?`);
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
    const { key, keyVariable, url } = this.#settings;
    const { body, method = 'POST', milliseconds = 60_000, path, signal } = request;
    const isBinary = body instanceof Uint8Array;
    let reply: Reply;
    let retryAfter: string | null;
    try {
      const response = await fetch(`${url}/${path}`, {
        method,
        headers: {
          Accept: `${PROTOBUF}, application/json`,
          ...(body !== undefined && { 'Content-Type': isBinary ? PROTOBUF : 'application/json' }),
          ...(key !== undefined && { 'X-API-Key': key }),
        },
        ...(body !== undefined && { body: isBinary ? new Uint8Array(body) : JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]),
      });
      const isProtobuf = (response.headers.get('content-type') ?? '').startsWith(PROTOBUF);
      retryAfter = response.headers.get('retry-after');
      reply = { status: response.status, isProtobuf, bytes: new Uint8Array(await response.arrayBuffer()) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof DOMException && error.name === 'TimeoutError') {
        if (request.isPoll === true) return { status: 408, isProtobuf: false, bytes: new Uint8Array() };
        return { problem: 'gives no answer in time.', wait: 0 };
      }
      return { problem: `cannot be reached (${reasonOf(error)}).` };
    }
    const { status } = reply;
    if (status < 300 || ANSWERS.has(status)) return reply;
    const told = `${url} answered ${path} with ${status}: ${detailOf(reply.bytes)}`;
    if (status === 401 || status === 403) throw new Unavailable(`${told} The key is read from ${keyVariable}.`);
    // 425: SkyRL is still writing the checkpoint.
    const isRefusal = status === 500 && request.isProbe === true;
    if (!isRefusal && (status === 429 || status === 425 || status >= 500)) {
      const wait = retryAfter === null ? undefined : readRetryAfter(retryAfter);
      return {
        problem: `answered ${path} with ${status}: ${detailOf(reply.bytes)}`,
        ...(wait !== undefined && { wait }),
      };
    }
    throw new Refused(status, told);
  }
}

/** Milliseconds: the header has seconds or a date. Undefined if it has neither. */
function readRetryAfter(header: string): number | undefined {
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, 1000 * seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
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

function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause;
  if (!(inner instanceof Error)) return String(inner);
  const { code } = inner as { readonly code?: unknown };
  return typeof code === 'string' ? code : inner.message;
}

/** Servers may answer whole pages. Ends with a full stop. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const short = line.length > 300 ? `${line.slice(0, 300)} …` : line;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}
