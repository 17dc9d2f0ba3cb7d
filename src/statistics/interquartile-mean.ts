import type { Interval } from '../contracts/evaluation.js';
import type { Random } from '../contracts/random.js';
import { columnShares, type OutcomeMatrix } from './outcome-matrix.js';
import { quantile } from './quantile.js';
import { resampleRuns } from './stratified-bootstrap.js';

/**
 * The mean of the middle half of all scores, over runs and tasks together: neither one lucky run nor one impossible
 * task moves it (Agarwal et al. 2021, arXiv 2108.13264). A quarter of the scores, rounded down, is left out at each
 * end, as SciPy's `trim_mean(x, 0.25)` does.
 */
export function interquartileMean(scores: OutcomeMatrix): number {
  const sorted = Float64Array.from(scores.flat()).sort();
  const cut = Math.floor(sorted.length / 4);
  const middle = sorted.subarray(cut, sorted.length - cut);
  return middle.reduce((sum, score) => sum + score, 0) / middle.length;
}

/**
 * With its 95 % percentile interval by the stratified bootstrap: runs are resampled within each task, tasks stay. With
 * one run the interval is endless (null in JSON).
 *
 * @param scores one row a run (a seed), one column a task
 */
export function interquartileMeanInterval(
  scores: OutcomeMatrix,
  random: Random,
  resamples = 2000,
): Interval & { readonly mean: number } {
  columnShares(scores);
  const mean = interquartileMean(scores);
  if (scores.length < 2) return { mean, low: -Infinity, high: Infinity };
  const means = new Float64Array(resamples).map(() => interquartileMean(resampleRuns(scores, random))).sort();
  return { mean, low: quantile(means, 0.025), high: quantile(means, 0.975) };
}
