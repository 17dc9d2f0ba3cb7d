import { randomUUID } from 'node:crypto';
import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

import { compiledProgram } from './compiled-program.js';
import { slots, type MainThreadHooks, type WatchdogStart, type WatchedCall } from './watchdog-messages.js';

/** Code of a plugin that runs on the main thread. */
interface MainThreadCall {
  /** The owner of the code: `environment textcraft`. */
  readonly plugin: string;
  /** The running operation: `step`. */
  readonly phase: string;
}

interface WatchSettings {
  /** Seconds that the main thread may be busy with one call. */
  readonly seconds: number;
  /**
   * Returns the sentence about a call, without its full stop. The file and line of the running code are added if they
   * can be found. It is called before anything runs. `call` is undefined for code outside of any call. If the answer is
   * `undefined`, nothing is written.
   */
  readonly say: (call: MainThreadCall | undefined, seconds: number) => string | undefined;
  /** Text after the sentence: from now on, Ctrl-C ends the process immediately. */
  readonly released: string;
  /** Added if the thread cannot be interrupted: how to end the process. */
  readonly stuck: string;
  /**
   * Called on the main thread in the middle of a call that has exceeded its limit. `place` is the file and line where
   * it runs. It may only act synchronously, such as print an error and end the process.
   */
  readonly giveUp?: (call: MainThreadCall, place: string | undefined) => void;
}

/** Marks the calls that run on the main thread. */
interface MainThreadWatch {
  /**
   * Returns the number of a call; needed once for each call. `limitSeconds`: when `giveUp` is called, rounded up to a
   * tenth of `seconds`.
   */
  name(call: MainThreadCall, limitSeconds?: number): number;
  /** A call begins. Returns the call that ran until now, which `leave` needs, because calls may be nested. */
  enter(id: number): number;
  /** The call is over. Use `leave(before)` in a `finally`. */
  leave(before: number): void;
  /** Ends the watch. */
  close(): Promise<void>;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** In megabytes: enough for a thread that only watches. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

/**
 * Watches the main thread, because code that never returns blocks its timers and signal handlers. A separate thread
 * checks whether calls begin and end, or the event loop turns. If neither happens for some seconds, it writes the
 * running call and its place to standard error, once for each such period. It also removes the listeners of SIGINT,
 * SIGTERM and SIGHUP, so that the next Ctrl-C ends the process. If the main thread continues, its listeners are
 * restored.
 *
 * It uses V8's interrupts, which reach loops, chains of promises and `nextTick`, regular expressions, WebAssembly and
 * `Atomics.wait`. They do not reach code that waits or computes outside of JavaScript: `execFileSync`, synchronous
 * cryptography, native add-ons, `Array.prototype.sort` without a comparison. Such code is reported as `stuck`, after
 * two more seconds.
 *
 * A process that was started under a debugger is not watched. The watch keeps no process alive.
 */
export function watchMainThread(settings: WatchSettings): MainThreadWatch {
  const { seconds, say, released, stuck } = settings;
  const shared = new SharedArrayBuffer(slots.count * Int32Array.BYTES_PER_ELEMENT);
  const memory = new Int32Array(shared);
  const calls: MainThreadCall[] = [];
  let current = 0;
  let count = 0;
  let removed: (() => void)[] | undefined;
  const restore = (): void => {
    const listeners = removed ?? [];
    removed = undefined;
    for (const add of listeners) add();
  };

  const hooks = `agentgym.watchdog.${randomUUID()}`;
  const releaseSignals = (): void => {
    removed ??= signals.flatMap((name) => {
      const listeners = process.rawListeners(name) as NodeJS.SignalsListener[];
      process.removeAllListeners(name);
      return listeners.map((listener) => () => void process.on(name, listener));
    });
  };
  const giveUp = (id: number, place: string | null): void => {
    const call = calls[id - 1];
    if (call !== undefined && id === current) settings.giveUp?.(call, place ?? undefined);
  };
  Object.defineProperty(globalThis, hooks, {
    value: { releaseSignals, giveUp } satisfies MainThreadHooks,
    configurable: true,
  });

  const start: WatchdogStart = { shared, seconds, hooks, released, stuck };
  const worker =
    inspectorUrl() === undefined
      ? new Worker(compiledProgram(new URL('./watchdog-worker.js', import.meta.url)), {
          workerData: start,
          execArgv: [],
          resourceLimits,
        })
      : undefined;
  // A run also works without its watchdog.
  worker?.on('error', () => undefined).unref();
  const register = (call: WatchedCall): void => worker?.postMessage(call);
  const beat = setInterval(() => {
    Atomics.add(memory, slots.beats, 1);
    if (removed !== undefined) restore();
  }, 100 * seconds).unref();
  const outside = say(undefined, seconds);
  if (outside !== undefined) register({ id: 0, sentence: outside });

  return {
    name(call, limitSeconds) {
      const id = calls.push(call);
      const sentence = say(call, seconds);
      const limit = limitSeconds === undefined ? {} : { limitSeconds };
      if (sentence !== undefined) register({ id, sentence, ...limit });
      return id;
    },
    enter(id) {
      const before = current;
      current = id;
      Atomics.store(memory, slots.call, id);
      return before;
    },
    leave(before) {
      current = before;
      count = (count + 1) | 0;
      Atomics.store(memory, slots.call, before);
      Atomics.store(memory, slots.calls, count);
      if (removed !== undefined) restore();
    },
    async close() {
      clearInterval(beat);
      Reflect.deleteProperty(globalThis, hooks);
      restore();
      await worker?.terminate();
    },
  };
}
