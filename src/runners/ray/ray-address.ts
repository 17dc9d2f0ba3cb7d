import { homedir } from 'node:os';
import { join } from 'node:path';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { readWholeFileSync } from '../../files/read-whole-file.js';
import { basicAuthorization, decodePart } from '../../transfers/wire-secrets.js';

/** Where the head of a cluster is, and what opens it. */
export interface RayAddress {
  /** Without a name and a password; it is shown in messages. */
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}

type Variables = { readonly [name: string]: string | undefined };

/** A token has some hundred bytes. */
const longestToken = 2 ** 16;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Reads the address of the head, `--address` or else RAY_API_SERVER_ADDRESS, and the token as Ray's own client does:
 * RAY_AUTH_TOKEN, the file of RAY_AUTH_TOKEN_PATH, or ~/.ray/auth_token.
 *
 * @param insecure accepts a head on another machine over http without a token
 * @throws AG_COMMAND_USAGE if there is no address, if it is no URL, or if the head could be anyone
 */
export function rayAddress(written: string | undefined, insecure: boolean, variables: Variables): RayAddress {
  const text = written ?? variables['RAY_API_SERVER_ADDRESS'];
  if (text === undefined || text === '') {
    throw usage('The runner ray needs the address of a head.', 'Add `--address http://HOST:8265`.');
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The text may have a password, so it is not repeated.
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw usage('The address of the head is not an http or https URL.', 'Write it as `--address http://HOST:8265`.');
  }
  const token = readToken(variables);
  const { username, password, hostname, protocol, host } = url;
  const shown = `${protocol}//${host}${url.pathname.replace(/\/+$/, '')}`;
  if (protocol === 'http:' && token === undefined && !LOOPBACK.test(hostname) && !insecure) {
    throw usage(
      `${shown} is another machine, without encryption and without a token: anyone there could read and change runs.`,
      'Use https, an SSH tunnel or RAY_AUTH_TOKEN; or accept it with `--runner-option insecure=true`.',
    );
  }
  const bearer = token === undefined ? undefined : `Bearer ${token}`;
  if (username === '' && password === '') return { url: shown, headers: bearer ? { Authorization: bearer } : {} };
  const basic = basicAuthorization(decodePart(username), decodePart(password));
  // Where a proxy takes the usual header, Ray reads the other one.
  return { url: shown, headers: { Authorization: basic, ...(bearer && { 'X-Ray-Authorization': bearer }) } };
}

function readToken(variables: Variables): string | undefined {
  const direct = variables['RAY_AUTH_TOKEN']?.trim();
  if (direct !== undefined && direct !== '') return direct;
  const named = variables['RAY_AUTH_TOKEN_PATH'];
  const file = named ?? join(homedir(), '.ray', 'auth_token');
  try {
    return readWholeFileSync(file, longestToken).toString().trim() || undefined;
  } catch (error) {
    if (named === undefined) return undefined;
    const message = `The token of Ray cannot be read from ${file}, which RAY_AUTH_TOKEN_PATH names.`;
    throw new AgentgymError('AG_COMMAND_USAGE', { message, hint: 'Correct the variable, or unset it.', cause: error });
  }
}

function usage(message: string, hint: string): AgentgymError {
  return new AgentgymError('AG_COMMAND_USAGE', { message, hint });
}
