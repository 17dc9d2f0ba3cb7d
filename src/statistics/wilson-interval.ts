import type { Interval } from '../contracts/evaluation.js';

/** 97.5 % quantile of the standard normal distribution. */
const Z = 1.959963984540054;

/**
 * The 95 % interval of Wilson (1927) for a share, without continuity correction. It is reliable near 0 and 1, where the
 * usual interval is not. Without trials it is [0, 1].
 */
export function wilsonInterval(successes: number, trials: number): Interval {
  if (!(successes >= 0 && successes <= trials)) throw new RangeError(`${successes} successes in ${trials} trials`);
  if (trials === 0) return { low: 0, high: 1 };
  const rate = successes / trials;
  const shrink = 1 + (Z * Z) / trials;
  const middle = (rate + (Z * Z) / (2 * trials)) / shrink;
  const half = (Z / shrink) * Math.sqrt((rate * (1 - rate)) / trials + (Z * Z) / (4 * trials * trials));
  // Exact at the ends, where rounding would leave 1e-17.
  return { low: successes === 0 ? 0 : middle - half, high: successes === trials ? 1 : middle + half };
}
