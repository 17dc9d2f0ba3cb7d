import type { WireLimits } from '../contracts/wire.js';
import type { WireAnswer, Sent } from './send-request.js';
import { FailedRequest } from './failed-request.js';
import { decodePart, isSecretHeader, type WireSecrets } from './wire-secrets.js';

/** A request on its way. */
export interface Step {
  readonly url: URL;
  readonly sent: Sent;
}

export const mostRedirects = 5;

/**
 * The next request if an answer sends this one elsewhere; undefined if it does not. Secrets that were dropped on the way to
 * another server do not come back.
 *
 * @throws WireFailure `redirect` if it must not go there
 */
export function followRedirect(
  { url, sent }: Step,
  { headers, status }: WireAnswer,
  rule: NonNullable<WireLimits['redirects']>,
  secrets: WireSecrets,
): Step | undefined {
  const location = headers.get('location');
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return undefined;
  const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const refuse = (why: string) =>
    new FailedRequest('redirect', `${url.host} sent the request elsewhere (${status}), ${why}`);
  if (next === undefined || !/^https?:$/.test(next.protocol)) throw refuse('but not to an address of http or https');
  const place = secrets.hide(`${next.origin}${decodePart(next.pathname)}`);
  if (rule === 'refuse') throw refuse(`to ${place}. Name that address instead if you trust it`);
  if (url.protocol === 'https:' && next.protocol === 'http:') throw refuse(`to ${place}, which is not encrypted`);
  next.username = '';
  next.password = '';
  // As browsers do: an answer to a form is fetched.
  const isGet = status === 303 || (status < 303 && sent.method === 'POST');
  const keepsBody = sent.body !== undefined && sent.body !== null && !(isGet && sent.method !== 'HEAD');
  const method = isGet && sent.method !== 'HEAD' ? 'GET' : sent.method;
  if (next.origin !== url.origin) {
    if (rule === 'same-origin') throw refuse(`to ${place}. Name that address instead if you trust it`);
    if (sent.body !== undefined && sent.body !== null) throw refuse(`to ${place}, which would get its content`);
    if (secrets.isIn(next.href)) throw refuse('to another server, which would get a secret');
  }
  const own = new Headers(sent.headers);
  for (const name of [...own.keys()]) {
    if (next.origin !== url.origin && (isSecretHeader(name) || secrets.isIn(own.get(name) ?? ''))) own.delete(name);
    if (!keepsBody && /^content-/.test(name)) own.delete(name);
  }
  return { url: next, sent: { method, headers: own, body: keepsBody ? sent.body : undefined } };
}
