import type { Curve } from '../align-series.js';

/**
 * What was rounded to so many parts of its size is the same number: logs are rounded to six digits, and engines compute
 * in as many.
 */
const rounding = 1e-6;
/** Numbers of this size come of sums that should be 0. */
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
