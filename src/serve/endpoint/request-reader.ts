import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

import { encodeChat, encodeCompletion, type EncodedChat, type EncodedCompletion } from './encode-request.js';
import type { PolicyEndpoint } from './policy-endpoint.js';
import type { FromReader, ReaderData, ReaderJob, RequestKind } from './reader-messages.js';
import { RequestError } from './request-error.js';

export interface RequestReaderOptions {
  /** The models of the server, the first one for requests without a name. */
  readonly endpoints: () => readonly PolicyEndpoint[];
  /** The policy whose module opens encoders in a thread. Absent: all bodies are read in this thread. */
  readonly data?: ReaderData | undefined;
  /** A thread that takes longer to encode a body is ended. Default: 10,000. */
  readonly milliseconds?: number;
  /** A thread whose objects need more is ended. Default: 1024. */
  readonly megabytes?: number;
}

/** Bytes of the longest body that is read in the main thread: that takes some milliseconds, whatever the text. */
const SHORT = 16 * 1024;
/** Threads at the same time. Each opens the tokenizer when it begins, and ends when it has had nothing to do. */
const MOST_THREADS = 2;
const IDLE_MILLISECONDS = 600_000;
/** A thread that takes longer to open the tokenizer is ended, too. */
const OPENING_MILLISECONDS = 120_000;

interface Job {
  readonly client: unknown;
  readonly job: ReaderJob;
  readonly resolve: (encoded: EncodedChat | EncodedCompletion) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads the bodies of requests into ids: short ones here, long ones in threads that may be ended. So a body that takes long, or
 * much memory, costs its own request only. A client has one thread at a time.
 */
export class RequestReader {
  readonly #options: RequestReaderOptions;
  readonly #waiting: Job[] = [];
  readonly #threads = new Set<ReaderThread>();

  constructor(options: RequestReaderOptions) {
    this.#options = options;
  }

  /** @throws RequestError */
  async chat(bytes: Uint8Array<ArrayBuffer>, client: unknown): Promise<EncodedChat> {
    if (this.#isLong(bytes)) return this.#inThread('chat', bytes, client) as Promise<EncodedChat>;
    const endpoints = this.#options.endpoints();
    return encodeChat(bytes, {
      models: endpoints.map(readingModel),
      isKnown: (key) => endpoints.some((one) => one.knows(key)),
    });
  }

  /** @throws RequestError */
  async completion(bytes: Uint8Array<ArrayBuffer>, client: unknown): Promise<EncodedCompletion> {
    if (this.#isLong(bytes)) return this.#inThread('completion', bytes, client) as Promise<EncodedCompletion>;
    return encodeCompletion(bytes, { models: this.#options.endpoints().map(readingModel) });
  }

  async dispose(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(new RequestError(503, 'this server has stopped'));
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #isLong(bytes: Uint8Array): boolean {
    const { data, endpoints } = this.#options;
    // An encoder that can be opened nowhere else is used here.
    return (
      data !== undefined && bytes.length > SHORT && endpoints().every(({ model }) => model.encoderSource !== undefined)
    );
  }

  #inThread(kind: RequestKind, bytes: Uint8Array<ArrayBuffer>, client: unknown) {
    const models = this.#options.endpoints().map(({ longestToken, maxTokens, model, name }) => {
      return {
        name,
        longestToken,
        maxTokens,
        vocabularySize: model.capabilities.vocabularySize,
        source: model.encoderSource,
      };
    });
    return new Promise<EncodedChat | EncodedCompletion>((resolve, reject) => {
      this.#waiting.push({ client, job: { kind, bytes, models }, resolve, reject });
      this.#goOn();
    });
  }

  /** Gives a waiting body to a free thread. */
  #goOn(): void {
    const busy = new Set([...this.#threads].map(({ client }) => client));
    const place = this.#waiting.findIndex(({ client }) => !busy.has(client));
    const next = this.#waiting[place];
    if (next === undefined) return;
    let free = [...this.#threads].find(({ isFree }) => isFree);
    if (free === undefined) {
      if (this.#threads.size >= MOST_THREADS) return;
      free = new ReaderThread(this.#options, {
        free: () => this.#goOn(),
        ended: (thread) => {
          this.#threads.delete(thread);
          this.#goOn();
        },
      });
      this.#threads.add(free);
    }
    this.#waiting.splice(place, 1);
    free.read(next);
  }
}

function readingModel({ encoder, longestToken, maxTokens, model, name }: PolicyEndpoint) {
  const { vocabularySize } = model.capabilities;
  return { name, longestToken, maxTokens, vocabularySize, encoder: () => Promise.resolve(encoder) };
}

/** A thread that reads one body at a time. */
class ReaderThread {
  readonly #worker: Worker;
  readonly #tellFree: () => void;
  #current: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnding = false;
  readonly #milliseconds: number;

  constructor(
    { data, megabytes = 1024, milliseconds = 10_000 }: RequestReaderOptions,
    tell: { free: () => void; ended: (thread: ReaderThread) => void },
  ) {
    this.#tellFree = tell.free;
    this.#milliseconds = milliseconds;
    const resourceLimits = { maxOldGenerationSizeMb: megabytes };
    this.#worker = new Worker(threadProgram(), { workerData: data, execArgv: [], resourceLimits });
    this.#worker.on('message', (message: FromReader) => this.#take(message));
    // Its memory is used up, or its code has an error.
    this.#worker.on('error', () => {
      this.#isEnding = true;
      this.#fail('its texts need too much memory');
    });
    this.#worker.on('exit', () => {
      this.#fail('its thread has ended');
      clearTimeout(this.#timer);
      tell.ended(this);
    });
    // A server that ends does not wait for it.
    this.#worker.unref();
  }

  get isFree(): boolean {
    return this.#current === undefined && !this.#isEnding;
  }

  /** Whose body is read. */
  get client(): unknown {
    return this.#current?.client;
  }

  read(job: Job): void {
    this.#current = job;
    this.#endAfter(OPENING_MILLISECONDS, 'the tokenizer cannot be opened in time');
    this.#worker.postMessage(job.job, [job.job.bytes.buffer as ArrayBuffer]);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #take(message: FromReader): void {
    const { resolve, reject } = this.#current ?? {};
    if ('begins' in message) {
      return this.#endAfter(this.#milliseconds, `its texts take longer than ${this.#milliseconds} ms to encode`);
    }
    this.#current = undefined;
    if ('encoded' in message) resolve?.(message.encoded);
    else reject?.(new RequestError(message.refused.status, message.refused.message, message.refused.details));
    this.#endAfter(IDLE_MILLISECONDS, '');
    this.#tellFree();
  }

  #endAfter(milliseconds: number, why: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isEnding = true;
      this.#fail(why);
      void this.#worker.terminate();
    }, milliseconds);
    this.#timer.unref();
  }

  #fail(why: string): void {
    this.#current?.reject(new RequestError(400, `the request cannot be read: ${why}`, { code: 'request_too_complex' }));
    this.#current = undefined;
  }
}

/** The program of a thread. It is next to this file if compiled, and in dist if this file runs from source. */
function threadProgram(): URL {
  const beside = new URL('./reader-thread.js', import.meta.url);
  return existsSync(beside) ? beside : new URL('../../../dist/serve/endpoint/reader-thread.js', import.meta.url);
}
