/** A call, or the wish to cancel one, which has nothing but its number. */
export type ToWorker = readonly [id: number, method: string, payload: unknown] | readonly [id: number];

/** An answer, `milliseconds` being measured around the handler, promises included; or, with the number 0, what the thread prints. */
export type FromWorker =
  | readonly [id: 0, milliseconds: 0, text: string]
  | readonly [id: number, milliseconds: number, value: unknown]
  | readonly [id: number, milliseconds: number, value: undefined, error: SentError];

/** What is left of an error on its way between threads. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string;
}

/** What a worker of a channel is started with. */
export interface WorkerStart {
  readonly shared: SharedArrayBuffer;
  /** What the owner gives it. */
  readonly data: unknown;
}

/** Calls that one channel may have under way: their numbers, from 1, are their places in the shared memory. */
export const mostCalls = 1 << 14;

/** What the two sides see of each other without a message, which a thread that loops neither sends nor takes. */
export class SharedMarks {
  static readonly bytes = 16 + 8 * (mostCalls + 1);
  /** The call whose handler is on the stack, 0 for none. */
  readonly #running: Uint32Array;
  /** When each call began, in milliseconds since an origin that all threads share; 0: it has not. */
  readonly #began: Float64Array;
  readonly #offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();

  constructor(shared: SharedArrayBuffer) {
    this.#running = new Uint32Array(shared, 0, 1);
    this.#began = new Float64Array(shared, 16, mostCalls + 1);
  }

  get running(): number {
    return Atomics.load(this.#running, 0);
  }

  /** A call's handler is on the stack, or none: 0. */
  set running(id: number) {
    Atomics.store(this.#running, 0, id);
  }

  /** A new call, which has not begun. */
  clear(id: number): void {
    this.#began[id] = 0;
  }

  /** @param now what `performance.now()` says in this thread */
  begin(id: number, now: number): void {
    this.#began[id] = now + this.#offset;
  }

  /** When a call began, as `performance.now()` of this thread says it. */
  beganAt(id: number): number | undefined {
    const began = this.#began[id];
    return began === undefined || began === 0 ? undefined : began - this.#offset;
  }
}
