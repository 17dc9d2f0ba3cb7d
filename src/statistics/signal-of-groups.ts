import { mean } from './mean.js';
import { chanceOfAll } from './pass-at-k.js';

/**
 * The chance that the returns of a group of `size` episodes are not all equal, so that they can be compared. The group
 * is drawn from the played episodes of one task. It is 1 - sum over returns of C(n of that return, size) / C(n, size),
 * which is unbiased. If returns are 1 with chance p and else 0, it estimates 1 - p^size - (1 - p)^size.
 *
 * @param returns of episodes of one task, at least `size`; equal within 1e-12, as training compares them
 */
export function chanceOfSignal(returns: readonly number[], size: number): number {
  if (!(size >= 1 && size <= returns.length)) {
    throw new RangeError(`groups of ${size} cannot be drawn from ${returns.length} episodes`);
  }
  const sorted = [...returns].sort((a, b) => a - b);
  const counts: number[] = [];
  let start = Number.NaN;
  for (const value of sorted) {
    if (Math.abs(value - start) < 1e-12) counts[counts.length - 1]! += 1;
    else {
      counts.push(1);
      start = value;
    }
  }
  return Math.max(0, 1 - counts.reduce((sum, count) => sum + chanceOfAll(returns.length, count, size), 0));
}

/** Share of groups of a size that have signal, over tasks. */
export function signalOfGroups(tasks: readonly (readonly number[])[], size: number): number {
  return mean(tasks.map((returns) => chanceOfSignal(returns, size)));
}
