import { readFileSync } from 'node:fs';

/**
 * Seconds that the main thread has computed; where /proc is missing, that it was not idle, which counts what others
 * took from it.
 */
export function mainThreadSeconds() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9;
  } catch {
    return performance.eventLoopUtilization().active / 1000;
  }
}
