import { setTimeout as sleep } from 'node:timers/promises';

import type { Host, JsonPlace } from '@agentgym/cli';
import OpenAI, { type APIError } from 'openai';

import type { Address } from './address.js';
import { canBeRepeated, readableRefusal, ServerFault, Unavailable } from './server-errors.js';

/** How a server is asked. */
export interface ClientSettings {
  readonly address: Address;
  /** Environment variable that has the key. */
  readonly keyVariable: string;
  readonly retries: number;
  readonly timeoutSeconds: number;
  /** Longest answer in bytes. */
  readonly mostBytes: number;
}

/** What the library returns for a request, before it reads the answer. */
interface Asked {
  asResponse(): Promise<Response>;
}

/** The library's own limit of time, in milliseconds. It ends with the head of an answer; ours holds for all of it. */
const NO_LIMIT = 2 ** 31 - 1;
/** Longest wait before another try if the server names none, in seconds. */
const LONGEST_PAUSE = 8;

/** A server of the API. The official library writes the requests; the host sends them, and reads the answers inside limits. */
export class Endpoint {
  readonly client: OpenAI;
  readonly #settings: ClientSettings;
  readonly #host: Host;

  constructor(settings: ClientSettings, host: Host) {
    const { address, keyVariable, mostBytes, timeoutSeconds } = settings;
    this.#settings = settings;
    this.#host = host;
    const key = process.env[keyVariable]?.trim();
    if (key !== undefined && !/^[\x21-\x7e]*$/.test(key)) {
      throw new Unavailable(`${keyVariable} has blanks or characters that a key cannot have`);
    }
    const secrets = [...(key === undefined ? [] : [key]), ...Object.values(address.query ?? {})];
    const limits = { totalSeconds: timeoutSeconds, mostBytes, secrets };
    this.client = new OpenAI({
      baseURL: address.url,
      // The library wants a key. Without one, no header is sent.
      apiKey: key || 'none',
      defaultHeaders: { ...(!key && { Authorization: null }), ...address.headers },
      ...(address.query && { defaultQuery: address.query }),
      organization: null,
      project: null,
      maxRetries: 0,
      timeout: NO_LIMIT,
      fetch: async (url, init) => readableRefusal(await host.fetch(url, init, limits)),
      logLevel: 'off',
    });
  }

  /**
   * Asks, and reads the document that comes. A fault that may pass is repeated, also one that shows in the document.
   *
   * @throws ServerFault, Unavailable, errors of the library, or the reason of the signal
   */
  ask<Answer>(signal: AbortSignal, send: () => Asked, read: (document: JsonPlace) => Answer): Promise<Answer> {
    return this.repeat(this.#settings.retries, signal, async () => {
      const response = await send().asResponse();
      return read(this.#open(await response.text(), response));
    });
  }

  /** Tells the server something; the words of its answer do not matter. @param most repetitions, if fewer than usual */
  async post(path: string, body: object, signal: AbortSignal, most = Infinity): Promise<void> {
    const retries = Math.min(most, this.#settings.retries);
    await this.repeat(retries, signal, () => this.client.post(path, { body, signal }).asResponse());
  }

  /** Repeats a request whose error may pass, after the time that the server names or a growing pause. */
  async repeat<Answer>(retries: number, signal: AbortSignal, ask: () => PromiseLike<Answer>): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await ask();
      } catch (error) {
        signal.throwIfAborted();
        if (attempt >= retries || !canBeRepeated(error)) throw error;
        const named = error instanceof OpenAI.APIError ? (error as APIError).headers?.get('retry-after') : undefined;
        const pause = Math.min(LONGEST_PAUSE, 2 ** attempt / 2) * (1 - Math.random() / 4);
        await sleep(1000 * (named == null ? pause : Number(named)), undefined, { signal });
      }
    }
  }

  #open(text: string, { headers, url }: Response): JsonPlace {
    const { shown } = this.#settings.address;
    return this.#host.openJson(text, (problem) => {
      const isPage = problem.startsWith('no JSON') && !/json/i.test(headers.get('content-type') ?? '');
      if (isPage) {
        return new Unavailable(`${shown} did not answer JSON. Is it the address of the API? It usually ends in /v1.`);
      }
      return new ServerFault(`${shown} answered ${new URL(url).pathname} with ${problem}`);
    });
  }
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
