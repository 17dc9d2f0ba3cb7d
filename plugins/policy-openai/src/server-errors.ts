import type { WireFailure } from '@agentgym/cli';
import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
  AuthenticationError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai';

import { shorten, wordsOf } from './server-words.js';

/** Nobody can play on: the code tells it to the host, which ends the command. */
export class Unavailable extends Error {
  readonly code = 'UNAVAILABLE';
}

/** The server answered as if all were well, but the answer is a fault. It belongs to this request. */
export class ServerFault extends Error {}

const passingStatus = [408, 409, 425, 429];
const passingFailures = ['late', 'broken', 'malformed', 'unreachable'];

/** Whether the same request may succeed later. */
export function canBeRepeated(error: unknown): boolean {
  if (error instanceof ServerFault) return true;
  if (error instanceof APIUserAbortError || !(error instanceof APIError)) return false;
  const failure = wireFailureOf(error);
  if (failure !== undefined) return passingFailures.includes(failure.kind);
  if (error instanceof APIConnectionError) return true;
  const { headers, status } = error as APIError;
  const said = headers?.get('x-should-retry');
  if (said === 'true' || said === 'false') return said === 'true';
  return status !== undefined && (passingStatus.includes(status) || status >= 500);
}

/** The failure of the host's `fetch`, which the library wraps. */
function wireFailureOf(error: unknown): WireFailure | undefined {
  const { cause } = error as Error;
  return cause instanceof Error && cause.name === 'WireFailure' ? (cause as WireFailure) : undefined;
}

/** An answer with an error whose words the library finds, whatever form they have. Others stay as they are. */
export async function readableRefusal(response: Response): Promise<Response> {
  if (response.ok) return response;
  const { headers, status, statusText } = response;
  const text = await response.text();
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // A page or a line.
  }
  const known = typeof body === 'object' && body !== null ? (body as { readonly error?: unknown }).error : undefined;
  const isKnown = typeof known === 'object' && known !== null && !Array.isArray(known);
  const error = { ...(isKnown && known), message: wordsOf(known ?? body) || statusText || 'nothing else' };
  const json = new Headers({ 'content-type': 'application/json' });
  for (const name of ['retry-after', 'x-should-retry']) {
    const value = headers.get(name);
    if (value !== null) json.set(name, value);
  }
  return new Response(JSON.stringify({ error }), { status, statusText, headers: json });
}

/** Whether a server refused a request because the conversation does not fit into the model's context. */
export function isContextFull(error: unknown): boolean {
  if (error instanceof ServerFault) return /context_length_exceeded|maximum context length/i.test(error.message);
  if (!(error instanceof APIError) || error.status === undefined || error.status >= 500) return false;
  // `code`: hosted models and vLLM; `type`: llama.cpp; the words: Ollama and older servers.
  const told = `${String(error.code)} ${String(error.type)} ${error.message}`;
  return /context_length_exceeded|exceed_context_size|context (length|size|window)|maximum context/i.test(told);
}

/** Whether a server knows the cap on the length of an answer by its newer name only. */
export function wantsNewerCap(error: unknown): boolean {
  return error instanceof APIError && error.status === 400 && error.message.includes('max_completion_tokens');
}

/**
 * What an error of a request means: `Unavailable` if every other request would fail, too. Any other error belongs to this
 * episode.
 *
 * @param place the address, without secrets
 */
export function readServerError(error: unknown, place: string, keyVariable: string): unknown {
  if (error instanceof APIUserAbortError) return error;
  const failure = wireFailureOf(error);
  if (failure !== undefined) return readWireFailure(failure, place);
  if (error instanceof APIConnectionTimeoutError) return new Error(`${place} did not answer in time`, { cause: error });
  if (error instanceof APIConnectionError) return new Error(`the connection to ${place} broke`, { cause: error });
  if (!(error instanceof APIError)) return error;
  const told = `${place} answered ${error.status ?? 'an error'}: ${saidOf(error as APIError)}`;
  if (error instanceof AuthenticationError || error instanceof PermissionDeniedError) {
    return new Unavailable(`${told}. The key is read from ${keyVariable}.`, { cause: error });
  }
  if (error instanceof NotFoundError) {
    return new Unavailable(`${told}. Check the address, which usually ends in /v1, and the option model.`, {
      cause: error,
    });
  }
  if (error instanceof RateLimitError) {
    return new Unavailable(`${told}. Lower the option concurrency, or raise retries.`, { cause: error });
  }
  // llama.cpp, while it reads a model. Minutes may pass, and every other episode would fail until then.
  if (error.status === 503 && /loading model/i.test(error.message)) {
    return new Unavailable(`${told}. Start again when it has loaded.`, { cause: error });
  }
  // The same request would be refused again.
  if (error.status !== undefined && error.status < 500) {
    // Some servers refuse members that they do not know.
    const cure = /\bseed\b/.test(error.message) ? '. The option seed=none sends no seed' : '';
    return new Unavailable(`${told}${cure}`, { cause: error });
  }
  return new Error(told, { cause: error });
}

/** Whether every other request would fail in the same way, or only this one. */
function readWireFailure(failure: WireFailure, place: string): Error {
  const { kind, message } = failure;
  const [host = ''] = place.split('/');
  // The message begins with the host. The whole address says more, unless a redirect led to another host.
  const told = message.startsWith(`${host} `) ? `${place}${message.slice(host.length)}` : `${place}: ${message}`;
  if (kind === 'late') return new Error(`${place} did not answer in time: ${message}`, { cause: failure });
  if (kind === 'unreachable') return new Unavailable(`${told}. Is the server running?`, { cause: failure });
  if (kind === 'broken' || kind === 'malformed' || kind === 'too-large') return new Error(told, { cause: failure });
  return new Unavailable(told, { cause: failure });
}

/** What the server said. The library puts the status before it. */
function saidOf({ message, status }: APIError): string {
  return shorten(message.startsWith(`${status} `) ? message.slice(`${status} `.length) : message);
}
