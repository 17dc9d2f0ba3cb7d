/**
 * The thread that watches the main thread (`watchMainThread`). It counts its own ticks instead of reading a clock, so
 * that a process that was stopped, or a machine that slept, does not look like a call that hangs. Its standard error
 * would go through the main thread, so it writes to the descriptor.
 */
import { writeSync } from 'node:fs';
import { Session, type Debugger } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

import { slots, type WatchdogStart, type WatchedCall } from './watchdog-messages.js';

/** Number of ticks within `seconds`. */
const ticks = 10;
/** Milliseconds to wait for an interruption. Code that can be interrupted needs less, even on a busy machine. */
const patience = 2000;

const { shared, seconds, hooks, released, stuck } = workerData as WatchdogStart;
const memory = new Int32Array(shared);
const calls = new Map<number, WatchedCall>();
parentPort?.on('message', (call: WatchedCall) => calls.set(call.id, call));

let seen = '';
let silent = 0;
/** Whether `giveUp` was called in this silence. */
let gaveUp = false;
/** Whether an interruption of the main thread is in progress. */
let isInterrupting = false;
let place: string | null = null;
let session: Session | undefined;
setInterval(
  () => {
    const now = signsOfLife();
    if (now !== seen) {
      [seen, silent, gaveUp, place] = [now, 0, false, null];
      return;
    }
    silent++;
    const call = calls.get(Atomics.load(memory, slots.call));
    if (call === undefined) return;
    // `giveUp` and an interruption must not overlap: each would wait for the other.
    if (silent === ticks && !gaveUp) interrupt(call);
    if (isInterrupting) return;
    if (call.limitSeconds === undefined || gaveUp || silent * (seconds / ticks) < call.limitSeconds) return;
    gaveUp = true;
    evaluate(`giveUp(${call.id}, ${JSON.stringify(place)})`);
  },
  (1000 * seconds) / ticks,
);

function signsOfLife(): string {
  return memory.join(' ');
}

/**
 * Finds the code that the main thread runs, restores the default handling of signals there, and reports both; or
 * reports that the thread cannot be reached.
 */
function interrupt(call: WatchedCall): void {
  isInterrupting = true;
  const before = signsOfLife();
  const say = (text: string): void => {
    if (signsOfLife() === before) write(`\n${call.sentence}${place === null ? '' : `, at ${place}`}. ${text}\n`);
  };
  const timer = setTimeout(() => {
    isInterrupting = false;
    say(stuck);
  }, patience);
  const scripts = new Map<string, string>();
  const main = connect();
  main.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params.url));
  let steps = 0;
  main.on('Debugger.paused', ({ params }) => {
    place = innermostPlace(params.callFrames, scripts);
    // Between two microtasks no code of a file is on the stack.
    if (place === null && steps++ < 10) return main.post('Debugger.stepInto');
    main.post('Debugger.resume');
    main.post('Debugger.disable');
    evaluate('releaseSignals()', () => {
      clearTimeout(timer);
      isInterrupting = false;
      say(released);
    });
  });
  main.post('Debugger.enable');
  main.post('Debugger.pause');
}

function evaluate(call: string, then?: () => void): void {
  const main = connect();
  main.post('Runtime.evaluate', { expression: `globalThis[${JSON.stringify(hooks)}]?.${call}` }, () => {
    then?.();
    main.disconnect();
    if (session === main) session = undefined;
  });
}

function connect(): Session {
  if (session !== undefined) return session;
  session = new Session();
  session.connectToMainThread();
  return session;
}

/** The innermost line on the stack that is in a file. */
function innermostPlace(frames: readonly Debugger.CallFrame[], scripts: ReadonlyMap<string, string>): string | null {
  for (const { location } of frames) {
    const url = scripts.get(location.scriptId);
    if (url?.startsWith('file:') === true) return `${fileURLToPath(url)}:${location.lineNumber + 1}`;
  }
  return null;
}

function write(text: string): void {
  for (let attempt = 0; attempt < 50; attempt++) {
    try {
      writeSync(2, text);
      return;
    } catch (error) {
      // EAGAIN means a full pipe that does not block.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}
