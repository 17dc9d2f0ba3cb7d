import type { HostFetch } from '../contracts/wire.js';
import { followRedirect, mostRedirects, type Step } from './follow-redirect.js';
import { isDeepJson } from './is-deep-json.js';
import { readRetryAfter } from './retry-after.js';
import { type WireAnswer, sendRequest } from './send-request.js';
import { type StreamLimits, WireClock } from './wire-clock.js';
import { readNodeError, FailedRequest } from './failed-request.js';
import { basicAuthorization, decodePart, WireSecrets } from './wire-secrets.js';

const defaultBytes = 16 * 2 ** 20;

/** An answer whose body is still to be read, inside the limits. */
export interface OpenAnswer extends WireAnswer {
  /** The address of the last redirect. */
  readonly url: string;
  readonly secrets: WireSecrets;
  /** Leaves a body that nobody reads to its end. */
  readonly close: () => void;
}

/** See `HostFetch`. */
export const boundedFetch: HostFetch = async (input, init = {}, limits = {}) => {
  const { body, headers, secrets, status, statusText, url } = await openBounded(input, init, limits);
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  const bytes = secrets.hideInBody(Buffer.concat(parts), status < 300);
  if (isDeepJson(bytes)) throw new FailedRequest('malformed', `${new URL(url).host} sent JSON that is too deep`);
  const shown = new Headers();
  for (const [name, value] of headers) shown.append(name, secrets.hide(value));
  shown.delete('retry-after-ms');
  const wait = readRetryAfter(headers);
  if (wait === undefined) shown.delete('retry-after');
  else shown.set('retry-after', String(wait));
  if (shown.has('content-length')) shown.set('content-length', String(bytes.length));
  const isEmpty = [204, 205, 304].includes(status);
  const response = new Response(isEmpty ? null : new Uint8Array(bytes), {
    status,
    statusText: secrets.hide(statusText),
    headers: shown,
  });
  Object.defineProperty(response, 'url', { value: secrets.hide(url) });
  return response;
};

/**
 * Sends a request, follows redirects, and reads the head of the answer. The limits hold until the body was
 * read to its end, or the answer was closed.
 *
 * @throws WireFailure, or the reason of a signal that was aborted
 */
export async function openBounded(
  input: string | URL | Request,
  init: RequestInit,
  limits: StreamLimits,
): Promise<OpenAnswer> {
  const first = firstStep(input, init);
  const secrets = new WireSecrets(
    new URL(input instanceof Request ? input.url : input),
    first.sent.headers,
    limits.secrets,
  );
  const signals = [init.signal, input instanceof Request ? input.signal : undefined].filter((one) => one != null);
  for (const signal of signals) signal.throwIfAborted();
  const clock = new WireClock(first.url.host, limits);
  const either = AbortSignal.any([clock.signal, ...signals]);
  const end = () => clock.end();
  let { host } = first.url;
  const failureOf = (error: unknown): unknown => {
    if (either.aborted) return either.reason;
    const failure = readNodeError(error, host);
    return new FailedRequest(failure.kind, secrets.hide(failure.message));
  };
  try {
    let step = first;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await sendRequest(step.url, step.sent, either);
      clock.tick(Infinity);
      const next = followRedirect(step, answer, limits.redirects ?? 'same-origin', secrets);
      if (next === undefined) {
        const close = () => clock.stop(undefined);
        const body = readBody(answer, clock, limits.mostBytes ?? defaultBytes, host, failureOf, end);
        return { ...answer, body, url: step.url.href, secrets, close };
      }
      await discard(answer);
      if (redirects === mostRedirects) throw new FailedRequest('redirect', `${host} redirects in a loop`);
      step = next;
      ({ host } = step.url);
    }
  } catch (error) {
    end();
    throw failureOf(error);
  }
}

/** The request without a name and a password in its address: they become a header, as in other programs. */
function firstStep(input: string | URL | Request, init: RequestInit): Step {
  const text = input instanceof Request ? input.url : String(input);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new FailedRequest('address', 'the address is not http or https');
  }
  const isRequest = input instanceof Request;
  const headers = headersOf(init.headers ?? (isRequest ? input.headers : undefined));
  if ((url.username !== '' || url.password !== '') && !headers.has('authorization')) {
    headers.set('authorization', basicAuthorization(decodePart(url.username), decodePart(url.password)));
  }
  url.username = '';
  url.password = '';
  url.hash = '';
  if (!headers.has('accept')) headers.set('accept', '*/*');
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'gzip, deflate');
  const method = (init.method ?? (isRequest ? input.method : 'GET')).toUpperCase();
  return { url, sent: { method, headers, body: init.body ?? (isRequest ? input.body : undefined) } };
}

/** The message of the built-in class has the value, which may be a secret. */
function headersOf(init: RequestInit['headers']): Headers {
  try {
    return new Headers(init);
  } catch {
    throw new FailedRequest('address', 'a header, such as a key, has letters that a header cannot have');
  }
}

async function* readBody(
  { body }: WireAnswer,
  clock: WireClock,
  mostBytes: number,
  host: string,
  failureOf: (error: unknown) => unknown,
  end: () => void,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const part of body) {
      clock.tick(part.length);
      bytes += part.length;
      if (bytes > mostBytes) {
        throw new FailedRequest('too-large', `${host} answered with more than ${Math.round(mostBytes / 2 ** 20)} MiB`);
      }
      yield part;
    }
  } catch (error) {
    throw failureOf(error);
  } finally {
    end();
  }
}

/** Reads the short body of a redirect, so that its connection can be used again; a long one costs the connection. */
async function discard({ body }: WireAnswer): Promise<void> {
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > 2 ** 16) return;
  }
}
