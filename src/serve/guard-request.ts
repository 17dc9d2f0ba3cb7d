import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

import { AgentgymError } from '../errors/agentgym-error.js';

/** Why a request is refused. */
export interface Refusal {
  readonly status: 403 | 405;
  readonly reason: string;
}

/** The requests that the server answers. */
export interface Guard {
  /** Address or name that the server listens on. */
  readonly host: string;
  readonly token: string;
}

/**
 * Undefined if the request may be answered. A page of another site with the token is refused by its origin. Such a page
 * also cannot read data if its name points to this machine (DNS rebinding), because the browser sends that name as the
 * host. The port is not checked, so that a tunnel may use another port.
 */
export function refusalOf(request: IncomingMessage, address: URL, { host, token }: Guard): Refusal | undefined {
  if (request.method !== 'GET') return { status: 405, reason: 'This server is read-only.' };
  if (!isOwnName(request.headers.host, host))
    return { status: 403, reason: 'This server does not serve that host name.' };
  const { origin } = request.headers;
  if (origin !== undefined && hostOf(origin) !== request.headers.host)
    return { status: 403, reason: 'This server does not answer requests from other sites.' };
  if (!isSame(address.searchParams.get('token') ?? '', token)) {
    return { status: 403, reason: 'The token is missing or wrong: open the address that `agentgym ui` printed.' };
  }
  return undefined;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Whether a request came to a name of this machine. A page of another site cannot read from it then (DNS rebinding). */
export function isOwnName(header: string | undefined, host: string): boolean {
  const name = /^(\[[^\]]+\]|[^:]+)(:\d+)?$/
    .exec(header ?? '')?.[1]
    ?.replace(/^\[|\]$/g, '')
    .toLowerCase();
  if (name === undefined) return false;
  if (isLoopback(name) || name === host.toLowerCase()) return true;
  // In a network, the server is reached by its addresses and its host name. An IP address cannot be redirected.
  return !isLoopback(host) && (isIP(name) !== 0 || name === hostname().toLowerCase());
}

/** Browsers send `null` for pages with a hidden origin. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
}

/** Compares in a time that does not reveal how much was correct, for texts of any length. */
export function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

/** @throws AG_SERVE_FAILED for a short one. @param secret absent: none is used */
export function refuseGuessable(name: 'key' | 'token', secret: string | undefined, hint: string): void {
  if (secret === undefined || secret.length >= 16) return;
  const message = `The ${name} is ${secret.length} characters long, so it can be guessed.`;
  throw new AgentgymError('AG_SERVE_FAILED', { message, hint });
}
