import type { Curve } from '../chart/align-series.js';

/**
 * Numbers that differ by no more than this share of their size count as equal. Logs are rounded to six digits, and
 * engines compute with about as many.
 */
const rounding = 1e-6;
/** Smaller numbers are rounding errors of sums that should be 0. */
const nothing = 1e-12;

/**
 * The constant value of a curve that differs only by rounding, such as 2.7e-17 and -1.3e-17; undefined if it really
 * differs.
 */
export function constantOf({ y }: Curve): number | undefined {
  const values = y.filter((value) => value !== null);
  const [first] = values;
  if (first === undefined) return undefined;
  const [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [first, first]);
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size < nothing) return 0;
  return high - low <= rounding * size ? first : undefined;
}
