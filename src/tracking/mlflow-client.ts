import type { JsonPlace } from '../contracts/wire.js';
import { boundedFetch } from '../transfers/bounded-fetch.js';
import { FailedRequest } from '../transfers/failed-request.js';
import { openJson, shownText } from '../transfers/open-json.js';
import type { MlflowAccess } from './mlflow-access.js';

/** The server did not do what was asked, and may do it later: it is away, busy, refuses the credentials, or is none. */
export class TrackingFailure extends Error {
  override readonly name = 'TrackingFailure';

  /**
   * @param passesAlone whether it may pass without anybody doing something
   * @param waitSeconds how long the server asked to wait
   */
  constructor(
    message: string,
    readonly passesAlone = true,
    readonly waitSeconds?: number,
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

/** Longest time of one request in seconds. It is shorter than the deadline at the end of a run. */
const requestSeconds = 15;
/** Longest text of a server in a message, in characters. */
const longestText = 300;

const withoutCredentials = 'without MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD';
const busyStatus = [408, 425, 429];

/** Requests to MLflow's REST API 2.0 (https://mlflow.org/docs/latest/rest-api.html), one at a time. */
export class MlflowClient {
  constructor(readonly access: MlflowAccess) {}

  /**
   * Reads what a server has.
   *
   * @param path below `/api/2.0/mlflow/`, such as `runs/get`
   * @throws TrackingFailure, MlflowRefusal
   */
  get(path: string, query: { readonly [name: string]: string }, signal: AbortSignal): Promise<JsonPlace> {
    return this.#answer('GET', `mlflow/${path}?${new URLSearchParams(query).toString()}`, signal);
  }

  /** As `get`, with a document. */
  post(path: string, document: object, signal: AbortSignal): Promise<JsonPlace> {
    return this.#answer('POST', `mlflow/${path}`, signal, { json: document });
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

  async #answer(method: string, path: string, signal: AbortSignal, body?: Body): Promise<JsonPlace> {
    const { address, authorization, host, secrets } = this.access;
    const init = {
      method,
      headers: {
        accept: 'application/json',
        ...(authorization !== undefined && { authorization }),
        ...(body && { 'content-type': 'json' in body ? 'application/json' : 'application/octet-stream' }),
      },
      ...(body && { body: 'json' in body ? JSON.stringify(body.json) : body.bytes }),
      signal,
    };
    let response: Response;
    try {
      response = await boundedFetch(`${address}/api/2.0/${path}`, init, { totalSeconds: requestSeconds, secrets });
    } catch (error) {
      if (signal.aborted) throw new TrackingFailure(`${host} did not answer in time`);
      if (!(error instanceof FailedRequest)) throw error;
      throw new TrackingFailure(error.message, error.mayPass);
    }
    const text = await response.text();
    if (!response.ok) throw this.#problem(response, text);
    // An upload is answered with an empty body or with {}.
    const document = text.trim() === '' && method === 'PUT' ? '{}' : text;
    const [route] = path.split('?');
    const fault = (problem: string) => new TrackingFailure(`${host} answered ${route} with ${problem}`, false);
    const isObject = parseObject(document) !== undefined;
    if (isObject) return openJson(document, fault);
    const kind = response.headers.get('content-type')?.split(';')[0] ?? 'no type';
    throw new TrackingFailure(`${host} does not answer like an MLflow server (${shownText(kind)})`, false);
  }

  #problem({ headers, status }: Response, text: string): Error {
    const { host, authorization } = this.access;
    const { error_code: errorCode, message } = parseObject(text) ?? {};
    if (/--no-serve-artifacts/.test(text)) {
      return new MlflowRefusal('ARTIFACTS_NOT_SERVED', `${host} stores no artifacts`);
    }
    if (status === 401 || status === 403) {
      const whose = authorization === undefined ? withoutCredentials : 'with this token or password';
      return new TrackingFailure(`${host} refuses access ${whose} (status ${status})`, false);
    }
    const said = typeof message === 'string' ? shownText(message, longestText) : '';
    const reason = `${host} answers with status ${status}${said === '' ? '' : `: ${said}`}`;
    if (busyStatus.includes(status) || status >= 500) return new TrackingFailure(reason, true, waitOf(headers));
    if (typeof errorCode !== 'string') {
      return new TrackingFailure(`${reason}; there is no MLflow server at the address of MLFLOW_TRACKING_URI`, false);
    }
    return new MlflowRefusal(errorCode, said);
  }
}

/** Undefined if a text is no JSON object. */
function parseObject(text: string): { readonly [member: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as { readonly [member: string]: unknown }) : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds that the server asks to wait: the header was read already. */
function waitOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  return value === null ? undefined : Number(value);
}
