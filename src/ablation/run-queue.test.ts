import { expect, it } from 'vitest';

import type { CellRun } from './ablation-directory.js';
import { RunQueue } from './run-queue.js';

const runs = (shared: readonly (string | undefined)[]) =>
  shared.map((sharedStages, seed) => ({
    run: { seed, ...(sharedStages !== undefined && { sharedStages }) } as CellRun,
    resume: false,
  }));
const unsettled = Symbol('unsettled');
/** What a promise has come to after all work that is due. */
const soon = <Value>(promise: Promise<Value>) =>
  Promise.race([promise, new Promise<typeof unsettled>((resolve) => setImmediate(() => resolve(unsettled)))]);

it('gives runs in their order, but none whose shared stages another run is training', async () => {
  const [first, same, other] = runs(['a', 'a', undefined]);
  const queue = new RunQueue([first!, same!, other!], new AbortController().signal);
  expect(await queue.next()).toBe(first);
  expect(await queue.next()).toBe(other);
  const waiting = queue.next();
  expect(await soon(waiting)).toBe(unsettled);
  queue.release(other!.run);
  expect(await soon(waiting)).toBe(unsettled);
  queue.release(first!.run);
  expect(await waiting).toBe(same);
  expect(await queue.next()).toBeUndefined();
});

// Goes red when a waiting worker takes a run that it will not train: the next one then waits for it for ever.
it('ends for every worker once it is stopped', async () => {
  const [first, ...others] = runs(['a', 'a', 'a']);
  const stop = new AbortController();
  const queue = new RunQueue([first!, ...others], stop.signal);
  expect(await queue.next()).toBe(first);
  const waiting = queue.next();
  stop.abort();
  queue.release(first!.run);
  expect(await soon(waiting)).toBeUndefined();
  expect(await soon(queue.next())).toBeUndefined();
});
