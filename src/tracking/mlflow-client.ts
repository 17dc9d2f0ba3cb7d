import { messageOf } from '../errors/message-of.js';
import type { MlflowAccess } from './mlflow-access.js';

/** The server did not do what was asked, and may do it later: it is away, busy, refuses the credentials, or is none. */
export class TrackingFailure extends Error {
  override readonly name = 'TrackingFailure';

  /**
   * @param waitSeconds how long the server asked to wait
   * @param passesAlone whether it may pass without anybody doing something
   */
  constructor(
    message: string,
    readonly waitSeconds?: number,
    readonly passesAlone = true,
  ) {
    super(message);
  }
}

/** MLflow understood the request and refuses it; the same request will be refused again. */
export class MlflowRefusal extends Error {
  override readonly name = 'MlflowRefusal';

  /** @param code MLflow's own code, such as RESOURCE_DOES_NOT_EXIST */
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What is left of an answer, or a file to send. */
type Body = { readonly json: object } | { readonly bytes: Uint8Array<ArrayBuffer> };

/** Longest time of one request in milliseconds. It is shorter than the deadline at the end of a run. */
const requestMilliseconds = 15_000;
/** Longest text of a server in a message, in characters. */
const longestText = 300;

const withoutCredentials = 'without MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD';
const busyStatus = [408, 425, 429];

/** Requests to MLflow's REST API 2.0 (https://mlflow.org/docs/latest/rest-api.html), one at a time. */
export class MlflowClient {
  constructor(readonly access: MlflowAccess) {}

  /**
   * @param path below `/api/2.0/mlflow/`, such as `runs/get`
   * @throws TrackingFailure, MlflowRefusal
   */
  get<Answer>(path: string, query: { readonly [name: string]: string }, signal: AbortSignal): Promise<Answer> {
    return this.#answer<Answer>('GET', `mlflow/${path}?${new URLSearchParams(query).toString()}`, signal);
  }

  /** As `get`, with a document. */
  post<Answer>(path: string, document: object, signal: AbortSignal): Promise<Answer> {
    return this.#answer<Answer>('POST', `mlflow/${path}`, signal, { json: document });
  }

  /**
   * Stores a file through the server's proxy for artifacts.
   *
   * @param path in the store, not encoded
   * @throws TrackingFailure, MlflowRefusal; the latter with the code `ARTIFACTS_NOT_SERVED` if the server has no proxy
   */
  async putArtifact(path: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    await this.#answer('PUT', `mlflow-artifacts/artifacts/${encoded}`, signal, { bytes });
  }

  async #answer<Answer>(method: string, path: string, signal: AbortSignal, body?: Body): Promise<Answer> {
    const { address, authorization, host } = this.access;
    const limit = AbortSignal.timeout(requestMilliseconds);
    let status: number;
    let headers: Headers;
    let text: string;
    try {
      const response = await fetch(`${address}/api/2.0/${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(authorization !== undefined && { authorization }),
          ...(body && { 'content-type': 'json' in body ? 'application/json' : 'application/octet-stream' }),
        },
        ...(body && { body: 'json' in body ? JSON.stringify(body.json) : body.bytes }),
        signal: AbortSignal.any([signal, limit]),
      });
      ({ status, headers } = response);
      text = await response.text();
    } catch (error) {
      if (signal.aborted) throw new TrackingFailure(`${host} did not answer in time`);
      if (limit.aborted) throw new TrackingFailure(`${host} did not answer within ${requestMilliseconds / 1000} s`);
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
      throw new TrackingFailure(`${host} cannot be reached (${this.#shown(code ?? messageOf(error))})`);
    }
    const document = parseObject(text);
    if (status >= 200 && status < 300) {
      // An upload is answered with an empty body or with {}.
      if (document !== undefined) return document as Answer;
      if (text.trim() === '' && method === 'PUT') return {} as Answer;
      const kind = headers.get('content-type')?.split(';')[0] ?? 'no type';
      throw new TrackingFailure(`${host} answers like no MLflow server (${this.#shown(kind)})`, undefined, false);
    }
    throw this.#problem(status, headers, document, text);
  }

  #problem(status: number, headers: Headers, document: MlflowError | undefined, text: string): Error {
    const { host, authorization } = this.access;
    if (/--no-serve-artifacts/.test(text)) {
      return new MlflowRefusal('ARTIFACTS_NOT_SERVED', `${host} stores no artifacts`);
    }
    if (status === 401 || status === 403) {
      const whose = authorization === undefined ? withoutCredentials : 'with this token or password';
      return new TrackingFailure(`${host} refuses access ${whose} (status ${status})`, undefined, false);
    }
    const said = this.#shown(document?.message ?? '');
    const reason = `${host} answers with status ${status}${said === '' ? '' : `: ${said}`}`;
    if (busyStatus.includes(status) || status >= 500) return new TrackingFailure(reason, waitOf(headers));
    if (document?.error_code === undefined) {
      return new TrackingFailure(`${reason}; no MLflow is at the address of MLFLOW_TRACKING_URI`, undefined, false);
    }
    return new MlflowRefusal(document.error_code, said);
  }

  /** A text of the server in one line, without credentials. */
  #shown(text: string): string {
    const hidden = this.access.secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
    const line = hidden.replace(/\s+/g, ' ').trim();
    return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
  }
}

interface MlflowError {
  readonly error_code?: string;
  readonly message?: string;
}

function parseObject(text: string): MlflowError | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Retry-After: seconds, or a date. */
function waitOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
