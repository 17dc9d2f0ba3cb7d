import type { Interval } from '../contracts/evaluation.js';
import { studentT95 } from './student-t.js';

/**
 * The mean of independent values with its 95 % t interval. One value says nothing about the spread, so its interval is
 * infinite (null in JSON). Without values, the mean is NaN.
 */
export function tInterval(values: readonly number[]): Interval & { readonly mean: number } {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count < 2) return { mean, low: -Infinity, high: Infinity };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const half = studentT95(count - 1) * Math.sqrt(squares / (count - 1) / count);
  return { mean, low: mean - half, high: mean + half };
}

/**
 * The mean of the differences `second - first` of paired values, such as seeds of two cells, with its 95 % t interval.
 */
export function pairedTInterval(
  first: readonly number[],
  second: readonly number[],
): Interval & { readonly mean: number } {
  if (first.length !== second.length) throw new RangeError(`${first.length} values cannot pair with ${second.length}`);
  return tInterval(second.map((value, i) => value - (first[i] as number)));
}
