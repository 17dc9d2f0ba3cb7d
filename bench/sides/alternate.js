// Works of two sides, each with one or more numbers of threads, that alternate in one run, so that a busy machine
// disturbs both alike.
import { setTimeout } from 'node:timers/promises';

import { median } from './median.js';
import { PeerProcess } from './peer-process.js';
import { processorSeconds } from './processor-seconds.js';
import { quietThreads } from './quiet-threads.js';

/** Starts a script of the other side once for each number of threads. Throws if it cannot compute on the device. */
export async function startPeers(python, script, { threadCounts, device }, parameters = []) {
  const peers = new Map();
  for (const threads of threadCounts) {
    const all = [...parameters, String(threads), device];
    peers.set(threads, await PeerProcess.start(python, script, all, quietThreads(threads)));
  }
  return peers;
}

/**
 * Measures works in turn. A work has `side`, `threads`, `repetitions`, and `run`, which takes a number of repetitions
 * and returns the seconds of each, and the processor seconds of all its threads. Returns, for each side, what its
 * fastest number of threads reached: the median with the quartiles, and the processor seconds on one thread.
 * @param warmUps repetitions of every work before
 */
export async function alternate(works, rounds, warmUps = 2) {
  const results = new Map(works.map((work) => [work, { seconds: [], cpu: [] }]));
  for (const work of works) await work.run(warmUps);
  for (let round = 0; round < rounds; round += 1) {
    for (const work of works) {
      // Lets threads of the other side go to sleep.
      await setTimeout(100);
      const { seconds, cpu } = await work.run(work.repetitions);
      results.get(work).seconds.push(...seconds);
      results.get(work).cpu.push(...cpu);
    }
  }
  const sides = new Map();
  for (const [{ side, threads }, { seconds, cpu }] of results) {
    const figure = { threads, ...spread(seconds), cpuAlone: threads === 1 ? median(cpu) : undefined };
    const other = sides.get(side);
    const cpuAlone = figure.cpuAlone ?? other?.cpuAlone;
    sides.set(side, { ...(other && other.seconds <= figure.seconds ? other : figure), cpuAlone });
  }
  return sides;
}

/** Median and quartiles of seconds. */
export function spread(seconds) {
  const sorted = [...seconds].sort((a, b) => a - b);
  const quartile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return { seconds: median(sorted), low: quartile(0.25), high: quartile(0.75), count: sorted.length };
}

/** Seconds of repetitions on our side, without what is done before each of them. */
export async function timed(work, repetitions, prepare) {
  const seconds = [];
  const cpu = [];
  for (let i = 0; i < repetitions; i += 1) {
    await prepare?.();
    const start = performance.now();
    const before = process.cpuUsage();
    await work();
    seconds.push((performance.now() - start) / 1000);
    cpu.push(processorSeconds(before));
  }
  return { seconds, cpu };
}
