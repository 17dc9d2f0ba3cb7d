import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

import type { OwnedProcess } from './spawn-owned.js';

/** Longest wait for the output of a program that has ended: a process that it started may hold its pipes. */
const lastOutputMs = 1000;

/** How a process ended, when what it wrote before has been read. */
export async function awaitEnding({ stdout, stderr, ended }: OwnedProcess): Promise<Awaited<OwnedProcess['ended']>> {
  const closed = (stream: Readable) => new Promise((resolve) => stream.once('close', resolve));
  const output = Promise.all([stdout, stderr].map(closed));
  const ending = await ended;
  const enough = new AbortController();
  await Promise.race([output, wait(lastOutputMs, undefined, enough).catch(() => undefined)]);
  enough.abort();
  return ending;
}
