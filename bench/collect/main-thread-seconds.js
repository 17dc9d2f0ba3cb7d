import { readFileSync } from 'node:fs';

/**
 * Processor seconds of the main thread. Without /proc: seconds in which it was not idle, which include time that other
 * processes took.
 */
export function mainThreadSeconds() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
  } catch {
    return performance.eventLoopUtilization().active / 1000;
  }
}
