import { crossedDegrees, crossedEstimate } from './crossed-estimate.js';
import {
  methodOf,
  requireWithin,
  withoutVariation,
  type CrossedInterval,
  type CrossedOptions,
} from './crossed-interval.js';
import { pairedDifferences, type OutcomeMatrix } from './outcome-matrix.js';
import { studentT95, studentTOutside } from './student-t.js';

/**
 * The difference `second - first` of two cells on common seeds and tasks, with its 95 % interval for other seeds and
 * other tasks. This is the t interval of the differences of each seed on each task. `p` is the two-sided p value of the
 * same t statistic. It is below 0.05 exactly if the interval excludes 0.
 *
 * @param options.bounds of an outcome, [0, 1] for success; the difference is then between -1 and 1
 * @throws RangeError if the cells do not pair
 */
export function crossedDifference(
  first: OutcomeMatrix,
  second: OutcomeMatrix,
  { weights, bounds }: CrossedOptions = {},
): CrossedInterval & { readonly p: number } {
  if (bounds) requireWithin([...first, ...second], bounds);
  const estimate = crossedEstimate(pairedDifferences(first, second), weights);
  const { mean, variance, degrees } = estimate;
  const method = methodOf(estimate);
  const range = bounds && bounds[1] - bounds[0];
  if (method === 'no-variation' || method === 'unknown') {
    const interval = withoutVariation(mean, estimate, range === undefined ? undefined : [-range, range]);
    const p = interval.method === 'unknown' ? 1 : pWithoutVariation(Math.abs(mean) / (range as number), estimate);
    return { mean, ...interval, estimate, p };
  }
  const half = studentT95(degrees) * Math.sqrt(variance);
  const p = studentTOutside(mean / Math.sqrt(variance), degrees);
  const limit = range ?? Infinity;
  return { mean, low: Math.max(-limit, mean - half), high: Math.min(limit, mean + half), method, estimate, p };
}

/**
 * The level at which the interval of `withoutVariation` just reaches 0. There, `surprise` is the difference divided by
 * its bound.
 */
function pWithoutVariation(ratio: number, { seeds, tasks }: CrossedInterval['estimate']): number {
  const { bySeeds, byTasks } = crossedDegrees(seeds, tasks);
  const ofSeeds = studentTOutside(Math.sqrt(ratio * seeds * tasks), bySeeds);
  const ofTasks = studentTOutside(Math.sqrt(ratio * tasks), byTasks);
  if (seeds === 1) return ofTasks;
  return tasks === 1 ? ofSeeds : Math.max(ofSeeds, ofTasks);
}
