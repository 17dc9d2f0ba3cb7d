import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 403 | 405;
  readonly reason: string;
}

/** Whom the server answers. */
export interface Guard {
  /** Address or name that it was told to listen on. */
  readonly host: string;
  readonly token: string;
}

/**
 * Undefined for a request that may be answered. A page of somebody else that has the token is refused by its origin,
 * and cannot read what is served here even where its name is made to point to this machine (DNS rebinding): a browser
 * then sends that name as the host. The port is left open, so that a tunnel may end at another.
 */
export function refusalOf(request: IncomingMessage, address: URL, { host, token }: Guard): Refusal | undefined {
  if (request.method !== 'GET') return { status: 405, reason: 'This server is only read from.' };
  if (!isOwnName(request.headers.host, host))
    return { status: 403, reason: 'This server does not answer to that name.' };
  const { origin } = request.headers;
  if (origin !== undefined && hostOf(origin) !== request.headers.host)
    return { status: 403, reason: 'This server does not answer to pages of others.' };
  if (!isSame(address.searchParams.get('token') ?? '', token)) {
    return { status: 403, reason: 'The token is missing or wrong: open the address that `agentgym ui` printed.' };
  }
  return undefined;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function isOwnName(header: string | undefined, host: string): boolean {
  const name = /^(\[[^\]]+\]|[^:]+)(:\d+)?$/
    .exec(header ?? '')?.[1]
    ?.replace(/^\[|\]$/g, '')
    .toLowerCase();
  if (name === undefined) return false;
  if (isLoopback(name) || name === host.toLowerCase()) return true;
  // Open to the network, it is reached by its addresses and its name; no address can be made to point elsewhere.
  return !isLoopback(host) && (isIP(name) !== 0 || name === hostname().toLowerCase());
}

/** Browsers send `null` for pages with a hidden origin. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
}

/** Compares in a time that does not reveal how much was correct, for any lengths. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
