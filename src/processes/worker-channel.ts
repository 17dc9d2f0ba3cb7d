import { Worker, type ResourceLimits } from 'node:worker_threads';

import { WorkerDied, type WorkerEnding } from './worker-died.js';
import {
  mostCalls,
  SharedMarks,
  type FromWorker,
  type SentError,
  type ToWorker,
  type WorkerStart,
} from './worker-messages.js';

export interface ChannelSettings {
  /** What the thread finds in `channelData()`; copied. */
  readonly data?: unknown;
  readonly resourceLimits?: ResourceLimits;
  /** Takes what the thread writes to its standard output and error. Absent: it goes to this process's standard error. */
  readonly print?: (text: string) => void;
}

/** A call that has not been answered. */
export interface LateCall {
  readonly method: string;
  /** Since its handler was called. */
  readonly milliseconds: number;
  /** Its code runs this very moment, without ever letting go since it was called: others wait for it. */
  readonly running: boolean;
}

interface CallSettings {
  /** An abort reaches the handler's signal. The call is over when the handler is: what it gives all the same has an owner. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that the handler may take, measured from the moment it is called: neither a queue nor a busy main thread counts. */
  readonly limit?: number | undefined;
  /** Told once, where the limit is over and no answer has come. Nothing else happens: end the thread, or wait on. */
  readonly late?: (call: LateCall) => void;
}

interface CallAnswer<T> {
  readonly value: T;
  /** How long the handler took in its thread, promises included. */
  readonly milliseconds: number;
}

interface Pending {
  readonly method: string;
  readonly resolve: (answer: CallAnswer<never>) => void;
  readonly reject: (error: unknown) => void;
  readonly settings: CallSettings;
  readonly abort: () => void;
  timer?: NodeJS.Timeout;
}

/**
 * Calls into a worker thread that `serveCalls` answers. What is asked within a tick goes as one message, and answers come back alike. The
 * thread keeps the process alive only while a call is under way. When it ends, by whatever cause, all calls are rejected with `WorkerDied`.
 */
export class WorkerChannel {
  readonly #worker: Worker;
  readonly #marks: SharedMarks;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<void>;
  #queue: ToWorker[] = [];
  /** Numbers that are given again: one's last message is behind it before it has its next. */
  readonly #free: number[] = [];
  #last = 0;
  #error: Error | undefined;
  #isTerminated = false;
  /** How the thread ended, once it has. */
  #death: { readonly ending: WorkerEnding; readonly code: number } | undefined;

  /** @param entry the compiled module of the thread, which calls `serveCalls` */
  constructor(
    entry: URL,
    { data, resourceLimits, print = (text) => void process.stderr.write(text) }: ChannelSettings,
  ) {
    const shared = new SharedArrayBuffer(SharedMarks.bytes);
    this.#marks = new SharedMarks(shared);
    const start: WorkerStart = { shared, data };
    this.#worker = new Worker(entry, {
      workerData: start,
      execArgv: [],
      // What is printed before calls are served must not reach the document of `--json`.
      stdout: true,
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
    });
    this.#worker.unref();
    this.#worker.on('message', (batch: readonly FromWorker[]) => {
      for (const item of batch) {
        if (item[0] === 0) print(item[2] as string);
        else this.#settle(item);
      }
    });
    this.#worker.on('error', (error: unknown) => {
      this.#error = error instanceof Error ? error : new Error(String(error));
    });
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        this.#die(code);
        resolve();
      });
    });
  }

  /**
   * Calls a handler.
   *
   * @throws WorkerDied; an Error with the name, message, code and stack of what the handler threw, or where something cannot be copied
   */
  call<T>(method: string, payload: unknown, settings: CallSettings = {}): Promise<CallAnswer<T>> {
    if (this.#death !== undefined) return Promise.reject(this.#lost(0, this.#death));
    if (settings.signal?.aborted === true) return Promise.reject(settings.signal.reason as Error);
    if (this.#pending.size >= mostCalls) return Promise.reject(new Error(`more than ${mostCalls} calls at once`));
    const id = this.#free.pop() ?? ++this.#last;
    this.#marks.clear(id);
    return new Promise<CallAnswer<T>>((resolve, reject) => {
      const abort = (): void => this.#send([id]);
      const pending: Pending = { method, resolve, reject, settings, abort };
      this.#pending.set(id, pending);
      if (this.#pending.size === 1) this.#worker.ref();
      settings.signal?.addEventListener('abort', abort, { once: true });
      if (settings.limit !== undefined) this.#arm(id, pending, settings.limit);
      this.#send([id, method, payload]);
    });
  }

  /** Ends the thread, whatever it does. Calls that are under way are rejected. */
  async close(): Promise<void> {
    this.#isTerminated = true;
    await this.#worker.terminate();
    await this.#ended;
  }

  #send(item: ToWorker): void {
    // After the microtasks of this tick: whatever they ask for goes along.
    if (this.#queue.push(item) === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    const batch = this.#queue;
    this.#queue = [];
    try {
      this.#worker.postMessage(batch);
    } catch {
      for (const item of batch) this.#sendAlone(item);
    }
  }

  #sendAlone(item: ToWorker): void {
    try {
      this.#worker.postMessage([item]);
    } catch (error) {
      const pending = this.#take(item[0]);
      pending?.reject(
        new Error(`what ${pending.method} is given cannot go to its thread: ${(error as Error).message}`),
      );
    }
  }

  #arm(id: number, pending: Pending, milliseconds: number): void {
    // An answer that came while this thread was busy is taken in before the limit is looked at.
    pending.timer = setTimeout(() => setImmediate(() => this.#look(id, pending)), milliseconds);
  }

  #look(id: number, pending: Pending): void {
    const { limit = 0, late } = pending.settings;
    if (this.#pending.get(id) !== pending) return;
    const began = this.#marks.beganAt(id);
    const milliseconds = began === undefined ? 0 : performance.now() - began;
    if (milliseconds < limit) this.#arm(id, pending, Math.max(1, limit - milliseconds));
    else late?.({ method: pending.method, milliseconds, running: this.#marks.running === id });
  }

  #settle([id, milliseconds, value, error]: FromWorker): void {
    const pending = this.#take(id);
    if (error === undefined) pending?.resolve({ value: value as never, milliseconds });
    else pending?.reject(revive(error));
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    this.#free.push(id);
    clearTimeout(pending.timer);
    pending.settings.signal?.removeEventListener('abort', pending.abort);
    if (this.#pending.size === 0) this.#worker.unref();
    return pending;
  }

  #die(code: number): void {
    const isFull = (this.#error as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    const death = {
      ending: this.#isTerminated
        ? ('terminated' as const)
        : isFull
          ? ('out of memory' as const)
          : this.#error === undefined
            ? ('exited' as const)
            : ('threw' as const),
      code,
    };
    this.#death = death;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(this.#lost(id, death));
  }

  #lost(id: number, { ending, code }: { readonly ending: WorkerEnding; readonly code: number }): WorkerDied {
    const begun = id !== 0 && this.#marks.beganAt(id) !== undefined;
    const cause = ending === 'terminated' ? undefined : this.#error;
    return new WorkerDied(ending, code, begun, begun && this.#marks.running === id, cause);
  }
}

function revive({ name, message, stack, code }: SentError): Error {
  const error = Object.assign(new Error(message), { name });
  if (stack !== undefined) error.stack = stack;
  return code === undefined ? error : Object.assign(error, { code });
}
