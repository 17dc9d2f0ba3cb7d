import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { url as inspectorUrl } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { slots, type MainThreadHooks, type WatchdogStart, type WatchedCall } from './watchdog-messages.js';

/** Code of others that runs on the main thread. */
interface MainThreadCall {
  /** Whose code it is: `environment textcraft`. */
  readonly plugin: string;
  /** What it does: `step`. */
  readonly phase: string;
}

interface WatchSettings {
  /** Seconds that the main thread may be busy with one thing. */
  readonly seconds: number;
  /**
   * The sentence about it, without its full stop: the file and line where it runs are added where they can be found.
   * Asked before anything runs. `undefined` for what runs outside of any call; the answer `undefined` means that
   * nothing is said then.
   */
  readonly say: (call: MainThreadCall | undefined, seconds: number) => string | undefined;
  /** What is said after it: from now on Ctrl-C ends the process at once. */
  readonly released: string;
  /** Added if the thread cannot be interrupted: how to end the process. */
  readonly stuck: string;
  /**
   * Called on the main thread in the middle of a call that has outlasted its limit, `place` being the file and line
   * where it runs. It can do nothing but what is done at once, such as to print an error and end the process.
   */
  readonly giveUp?: (call: MainThreadCall, place: string | undefined) => void;
}

/** What runs on the main thread is marked here. */
interface MainThreadWatch {
  /**
   * The number of a call, to be asked for once. `limitSeconds`: when `giveUp` is called; rounded up to a tenth of
   * `seconds`.
   */
  name(call: MainThreadCall, limitSeconds?: number): number;
  /** A call begins. Returns what ran until now, which `leave` wants: calls may lie within each other. */
  enter(id: number): number;
  /** The call is over: `leave(before)` in a `finally`. */
  leave(before: number): void;
  /** No more is watched. */
  close(): Promise<void>;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Megabytes: enough for one that does nothing but look. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 };

/**
 * Watches the main thread, on which code that never lets go blocks timers and the handlers of signals. A thread of its
 * own looks whether calls begin and end, or the event loop turns. Where neither happens for some seconds, it writes to
 * standard error which call runs and where, once for each such time, and removes the listeners of SIGINT, SIGTERM and
 * SIGHUP, so that the next Ctrl-C ends the process as if nobody had listened. When the thread moves on after all, its
 * listeners are put back.
 *
 * What reaches the thread are V8's interrupts: loops, chains of promises and `nextTick`, regular expressions,
 * WebAssembly and `Atomics.wait` are interrupted. Out of reach is what waits or computes outside of JavaScript:
 * `execFileSync`, synchronous cryptography, native add-ons,
 * `Array.prototype.sort` without a comparison. It is told of as `stuck`, after two more seconds.
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
      ? new Worker(workerEntry(), { workerData: start, execArgv: [], resourceLimits })
      : undefined;
  // Without its watchdog a run is what it was before.
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

/** Beside this file once compiled; run from its source, in dist. */
function workerEntry(): URL {
  const beside = new URL('./watchdog-worker.js', import.meta.url);
  return existsSync(fileURLToPath(beside))
    ? beside
    : new URL('../../dist/processes/watchdog-worker.js', import.meta.url);
}
