import { Worker } from 'node:worker_threads';

import { compiledProgram } from '../../processes/compiled-program.js';
import { type Encoded, encodings, type ReadingModel, SlowTexts } from './encode-request.js';
import type { PolicyEndpoint } from './policy-endpoint.js';
import type { FromReader, ReaderData, ReaderJob, RequestKind } from './reader-messages.js';
import { RequestError } from './request-error.js';

export interface RequestReaderOptions {
  /** The models of the server, the first one for requests without a name. */
  readonly endpoints: () => readonly PolicyEndpoint[];
  /** The policy whose module opens encoders in a thread. Absent: all bodies are read in this thread. */
  readonly data?: ReaderData | undefined;
  /** A thread that takes longer to encode a long body is ended. Default: 10,000. */
  readonly milliseconds?: number;
  /** A thread whose objects need more is ended. Default: 1024. */
  readonly megabytes?: number;
}

/** Bytes of the longest body that is read in the main thread: that takes some milliseconds. */
const SHORT = 16 * 1024;
/** A short body that takes longer to encode is refused. Usual tokenizers take a tenth of it, on a busy machine, too. */
const SHORT_MILLISECONDS = 250;
/** Threads for long bodies. Each opens the tokenizer when it begins, and ends when it has had nothing to do. */
const MOST_THREADS = 2;
const IDLE_MILLISECONDS = 600_000;
/** A thread that takes longer to open the tokenizer is ended, too. */
const OPENING_MILLISECONDS = 120_000;

interface Job {
  readonly client: unknown;
  readonly job: ReaderJob;
  readonly resolve: (encoded: Encoded) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads the bodies of requests into ids: short ones here, long ones in threads that may be ended. So a body that takes long, or
 * much memory, costs its own request only. After a short text that took too long, short ones are read in a thread, too: the
 * tokenizer has an expression of exponential time, and this thread must not wait for it again.
 */
export class RequestReader {
  readonly #options: RequestReaderOptions;
  readonly #long: ReaderThreads;
  readonly #short: ReaderThreads;
  #hasSlowTexts = false;

  constructor(options: RequestReaderOptions) {
    this.#options = options;
    this.#long = new ReaderThreads(options, MOST_THREADS);
    this.#short = new ReaderThreads(options, 1);
  }

  /** @throws RequestError */
  async read<Kind extends RequestKind>(kind: Kind, bytes: Uint8Array<ArrayBuffer>, client: unknown) {
    return (await this.#read(kind, bytes, client)) as Extract<Encoded, { readonly kind: Kind }>;
  }

  async #read(kind: RequestKind, bytes: Uint8Array<ArrayBuffer>, client: unknown): Promise<Encoded> {
    const { data } = this.#options;
    const endpoints = this.#options.endpoints();
    const sources = endpoints.map(({ model }) => model.encoderSource);
    const limits = { milliseconds: SHORT_MILLISECONDS };
    // An encoder that can be opened nowhere else is used here.
    if (data !== undefined && sources.every((source) => source !== undefined)) {
      const job = { kind, bytes, models: endpoints.map(sentModel) };
      if (bytes.length > SHORT) return this.#long.read(job, client);
      if (this.#hasSlowTexts) return this.#short.read({ ...job, ...limits }, client);
    }
    const isKnown = (key: string) => endpoints.some((one) => one.knows(key));
    const isOwn = sources.every((source) => source?.isOwn);
    try {
      const models = endpoints.map(readingModel);
      return await encodings[kind](bytes, { models, isKnown, ...(!isOwn && limits) });
    } catch (error) {
      if (error instanceof SlowTexts) this.#hasSlowTexts = true;
      throw error;
    }
  }

  async dispose(): Promise<void> {
    await Promise.all([this.#long.dispose(), this.#short.dispose()]);
  }
}

/** Some threads and what waits for them. A client has one thread at a time, and clients take turns. */
class ReaderThreads {
  readonly #options: RequestReaderOptions;
  readonly #most: number;
  readonly #threads = new Set<ReaderThread>();
  #waiting: readonly Job[] = [];
  /** Clients whose bodies wait or are read, in the order of their last turns. */
  #turns: readonly unknown[] = [];

  constructor(options: RequestReaderOptions, most: number) {
    this.#options = options;
    this.#most = most;
  }

  /** @throws RequestError */
  read(job: ReaderJob, client: unknown): Promise<Encoded> {
    return new Promise((resolve, reject) => {
      this.#waiting = [...this.#waiting, { client, job, resolve, reject }];
      this.#goOn();
    });
  }

  async dispose(): Promise<void> {
    for (const { reject } of this.#waiting) reject(new RequestError(503, 'this server has stopped'));
    this.#waiting = [];
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  /** Gives a waiting body to a free thread. */
  #goOn(): void {
    const busy = new Set([...this.#threads].map(({ client }) => client));
    // A client that has had no turn comes first.
    const turn = ({ client }: Job) => this.#turns.indexOf(client);
    const [next] = this.#waiting.filter(({ client }) => !busy.has(client)).toSorted((a, b) => turn(a) - turn(b));
    if (next === undefined) return;
    let free = [...this.#threads].find(({ isFree }) => isFree);
    if (free === undefined) {
      if (this.#threads.size >= this.#most) return;
      free = new ReaderThread(this.#options, {
        free: () => this.#goOn(),
        ended: (thread) => {
          this.#threads.delete(thread);
          this.#goOn();
        },
      });
      this.#threads.add(free);
    }
    this.#waiting = this.#waiting.filter((one) => one !== next);
    const present = new Set([...busy, ...this.#waiting.map(({ client }) => client)]);
    const others = this.#turns.filter((client) => client !== next.client && present.has(client));
    this.#turns = [...others, next.client];
    free.read(next);
  }
}

function readingModel({
  encoder,
  history,
  longestToken,
  maxTokens,
  model,
  name,
  prompt,
}: PolicyEndpoint): ReadingModel {
  const { vocabularySize } = model.capabilities;
  return { name, history, longestToken, maxTokens, prompt, vocabularySize, encoder: () => Promise.resolve(encoder) };
}

/** The same for another thread. */
function sentModel(endpoint: PolicyEndpoint): ReaderJob['models'][number] {
  const { encoder: _, prompt, ...model } = readingModel(endpoint);
  const kept = prompt && { system: prompt.system, games: prompt.examples?.games ?? [] };
  return { ...model, prompt: kept, source: endpoint.model.encoderSource };
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
    const program = compiledProgram(new URL('./reader-thread.js', import.meta.url));
    const resourceLimits = { maxOldGenerationSizeMb: megabytes };
    this.#worker = new Worker(program, { workerData: data, execArgv: [], resourceLimits });
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
    this.#worker.postMessage(job.job, [job.job.bytes.buffer]);
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
