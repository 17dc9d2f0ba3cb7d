import { regularizedBeta } from './incomplete-beta.js';

/**
 * The chance that a draw of Student's distribution lies outside [-t, t]: the two-sided p value of a t statistic.
 *
 * @param degrees of freedom, at least 1
 */
export function studentTOutside(t: number, degrees: number): number {
  return regularizedBeta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

/**
 * The t for which a draw of Student's distribution lies within [-t, t] with probability 0.95.
 *
 * @param degrees of freedom, at least 1
 */
export function studentT95(degrees: number): number {
  // 12.7 at one degree of freedom, falling to 1.96.
  let [low, high] = [1, 13];
  for (let i = 0; i < 60; i += 1) {
    const middle = (low + high) / 2;
    if (studentTOutside(middle, degrees) > 0.05) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
