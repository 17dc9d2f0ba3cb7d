// Shared memory that tells which call holds a thread. A thread that hangs or dies can no longer send messages.
import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/** Milliseconds of a clock that all threads of the process share. */
function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The call that holds the thread and its start time, and the call during which the thread died. */
export class ThreadMarks {
  readonly #ids: Int32Array;
  readonly #since: Float64Array;

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.#ids = new Int32Array(memory, 0, 2);
    this.#since = new Float64Array(memory, 8, 1);
  }

  /** The id of the call that holds the thread, 0 if none does, and for how many milliseconds. */
  holding(): { readonly id: number; readonly milliseconds: number } {
    const id = Atomics.load(this.#ids, 0);
    return { id, milliseconds: id === 0 ? 0 : sharedNow() - (this.#since[0] ?? 0) };
  }

  /** The call during which the thread died; 0 if it was not in a call. */
  get last(): number {
    return Atomics.load(this.#ids, 1) || Atomics.load(this.#ids, 0);
  }

  hold(id: number): void {
    this.#since[0] = sharedNow();
    Atomics.store(this.#ids, 0, id);
  }

  noteDeath(): void {
    Atomics.store(this.#ids, 1, Atomics.load(this.#ids, 0));
  }
}

/**
 * Maintains the marks of the thread in which it is created. A call holds the thread during its synchronous part, and
 * during everything that follows from it later, such as code after an `await` or in a timer.
 */
export function keepMarks(marks: ThreadMarks): <T>(id: number, work: () => T) => T {
  const calls = new AsyncLocalStorage<number>();
  const outer: number[] = [];
  let current = 0;
  const enter = (id: number): void => {
    outer.push(current);
    if (id !== current) marks.hold((current = id));
  };
  const leave = (): void => {
    const before = outer.pop() ?? 0;
    if (before !== current) marks.hold((current = before));
  };
  createHook({ before: () => enter(calls.getStore() ?? 0), after: leave }).enable();
  process.on('exit', () => marks.noteDeath());
  process.on('uncaughtExceptionMonitor', () => marks.noteDeath());
  return (id, work) =>
    calls.run(id, () => {
      enter(id);
      try {
        return work();
      } finally {
        leave();
      }
    });
}
