import type { Interval } from '../contracts/evaluation.js';
import type { CrossedInterval } from './crossed-interval.js';
import { studentTOutside } from './student-t.js';

/**
 * The difference `second - first` of two cells that share neither seeds nor tasks. Its interval combines theirs by the
 * method of variance estimates recovery (Zou and Donner 2008, Statistics in Medicine 27, 1693-1702, equation 7), which
 * keeps the skewness of intervals near 0 and 1. `p` is Welch's (1947), and 1 if neither cell varies.
 */
export function unpairedDifference(
  first: CrossedInterval,
  second: CrossedInterval,
): Interval & { readonly mean: number; readonly p: number } {
  const mean = second.mean - first.mean;
  const low = mean - Math.hypot(second.mean - second.low, first.high - first.mean);
  const high = mean + Math.hypot(second.high - second.mean, first.mean - first.low);
  const variances = [first, second].map(({ estimate }) => estimate.variance);
  const variance = variances.reduce((sum, value) => sum + value, 0);
  if (variance === 0) return { mean, low, high, p: 1 };
  const noise = [first, second].reduce((sum, { estimate }) => sum + estimate.variance ** 2 / estimate.degrees, 0);
  return { mean, low, high, p: studentTOutside(mean / Math.sqrt(variance), variance ** 2 / noise) };
}
