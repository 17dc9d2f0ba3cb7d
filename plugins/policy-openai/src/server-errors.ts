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

/** Nobody can play on: the code tells it to the host, which ends the command. */
export class Unavailable extends Error {
  readonly code = 'UNAVAILABLE';
}

/** Whether a server refused a request because the conversation does not fit into the model's context. */
export function isContextFull(error: unknown): boolean {
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
  if (error instanceof APIConnectionTimeoutError) return new Error(`${place} gave no answer in time`, { cause: error });
  if (error instanceof APIConnectionError) {
    return new Unavailable(`${place} cannot be reached (${reasonOf(error)}). Is the server running?`, { cause: error });
  }
  if (!(error instanceof APIError)) return error;
  const told = `${place} answered ${error.status ?? 'an error'}: ${shorten(wordsOf(error as APIError))}`;
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
  if (error.status !== undefined && error.status < 500) return new Unavailable(told, { cause: error });
  return new Error(told, { cause: error });
}

/** What the server said. The library puts the status before it, and writes an error that is only a text as JSON. */
function wordsOf({ error, message, status }: APIError): string {
  if (typeof error === 'string') return error;
  return message.startsWith(`${status} `) ? message.slice(`${status} `.length) : message;
}

/** The innermost cause of an error of the connection, such as ECONNREFUSED. */
function reasonOf(error: Error): string {
  let inner: unknown = error;
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause;
  if (!(inner instanceof Error)) return String(inner);
  const { code } = inner as { readonly code?: unknown };
  return typeof code === 'string' ? code : shorten(inner.message);
}

/** Servers may answer whole pages. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 300)} …` : line;
}
