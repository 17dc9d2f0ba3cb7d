import type { Interval } from '../contracts/evaluation.js';
import type { Random } from '../contracts/random.js';
import { columnShares, type OutcomeMatrix } from './outcome-matrix.js';
import { quantile } from './quantile.js';
import { resampleRuns } from './stratified-bootstrap.js';

/**
 * The chance that a run of `second` scores above a run of `first` on a task drawn at random, ties counting half: the
 * Mann-Whitney U of each task over its number of pairs, averaged over tasks (Agarwal et al. 2021, arXiv 2108.13264,
 * section 4.3). It says how often, not by how much.
 */
export function probabilityOfImprovement(first: OutcomeMatrix, second: OutcomeMatrix): number {
  let wins = 0;
  for (const mine of second) {
    for (const theirs of first) {
      for (const [task, score] of mine.entries()) {
        const other = theirs[task] as number;
        wins += score > other ? 1 : score === other ? 0.5 : 0;
      }
    }
  }
  return wins / (first.length * second.length * (first[0]?.length ?? 0));
}

/**
 * With its 95 % percentile interval by the stratified bootstrap: the runs of either side are resampled within each
 * task, apart from one another. With one run on a side the interval is [0, 1].
 *
 * @param first one row a run (a seed), one column a task; `second` has the same tasks, and any number of runs
 */
export function probabilityOfImprovementInterval(
  first: OutcomeMatrix,
  second: OutcomeMatrix,
  random: Random,
  resamples = 2000,
): Interval & { readonly probability: number } {
  if (columnShares(first).shares.length !== columnShares(second).shares.length) {
    throw new RangeError(`${first[0]?.length} tasks cannot be compared with ${second[0]?.length}`);
  }
  const probability = probabilityOfImprovement(first, second);
  if (first.length < 2 || second.length < 2) return { probability, low: 0, high: 1 };
  const [ofFirst, ofSecond] = [random.stream('first'), random.stream('second')];
  const draws = new Float64Array(resamples)
    .map(() => probabilityOfImprovement(resampleRuns(first, ofFirst), resampleRuns(second, ofSecond)))
    .sort();
  return { probability, low: quantile(draws, 0.025), high: quantile(draws, 0.975) };
}
