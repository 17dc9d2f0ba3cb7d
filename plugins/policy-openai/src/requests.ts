import OpenAI from 'openai';

import type { Address } from './address.js';
import { Unavailable } from './server-errors.js';

/** How a server is asked. */
export interface ClientSettings {
  readonly address: Address;
  /** Environment variable that has the key. */
  readonly keyVariable: string;
  readonly retries: number;
  readonly timeoutSeconds: number;
}

/** A client of the official library, which makes the retries. */
export function openClient({ address, keyVariable, retries, timeoutSeconds }: ClientSettings): OpenAI {
  const key = process.env[keyVariable];
  return new OpenAI({
    baseURL: address.url,
    // The library wants a key. Without one, no header is sent.
    apiKey: key ?? 'none',
    defaultHeaders: { ...(key === undefined && { Authorization: null }), ...address.headers },
    ...(address.query && { defaultQuery: address.query }),
    organization: null,
    project: null,
    maxRetries: retries,
    timeout: 1_000 * timeoutSeconds,
    logLevel: 'off',
  });
}

/** The library leaves a listener on a signal for each request, and the signal of a command lasts for thousands. */
export async function withOwnSignal<Answer>(
  signal: AbortSignal,
  work: (own: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const own = new AbortController();
  const abort = () => own.abort(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await work(own.signal);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The library repeats a request until an answer begins. A connection may also end in the middle of one. */
export async function repeatCutAnswers<Answer>(retries: number, ask: () => PromiseLike<Answer>): Promise<Answer> {
  for (let left = retries; ; left -= 1) {
    try {
      return await ask();
    } catch (error) {
      const isCut = error instanceof TypeError || error instanceof SyntaxError;
      if (!isCut || left === 0) throw error;
    }
  }
}

/** The library returns text if the server did not answer JSON. */
export function asObject<Answer extends object>(answer: Answer, place: string): Answer {
  if (typeof answer === 'object') return answer;
  throw new Unavailable(`${place} did not answer JSON. Is it the address of the API? It usually ends in /v1.`);
}
