import type { Interval } from '../contracts/evaluation.js';
import { crossedDegrees, crossedEstimate, type CrossedEstimate } from './crossed-estimate.js';
import type { OutcomeMatrix } from './outcome-matrix.js';
import { studentT95 } from './student-t.js';

/**
 * The population of an interval. `crossed`: other seeds and other tasks. `tasks`: other tasks, for this one seed.
 * `seeds`: other seeds, on this one task. `no-variation`: all outcomes are equal, and their number limits how far they
 * could differ. `unknown`: no interval can be estimated.
 */
export type CrossedMethod = 'crossed' | 'tasks' | 'seeds' | 'no-variation' | 'unknown';

export interface CrossedOptions {
  /** The number of tasks in each cluster; absent: one each. */
  readonly weights?: readonly number[];
  /** The smallest and the largest possible outcome, [0, 1] for success; absent: no limits. */
  readonly bounds?: readonly [number, number];
}

export type CrossedInterval = Interval & {
  readonly mean: number;
  readonly method: CrossedMethod;
  readonly estimate: CrossedEstimate;
};

/**
 * The mean of a cell over its seeds and tasks, with its 95 % interval for other seeds and other tasks.
 * `crossed-estimate.ts` explains the variance. Without bounds, it is the t interval. With bounds, it is Wilson's with
 * the effective number of trials, (mean - low)(high - mean) / variance, instead of the number of episodes, and with t
 * instead of 1.96 (Dean and Pagano 2015, Journal of Survey Statistics and Methodology 3, 484-503). It is reliable near
 * 0 and 1, and stays inside them.
 */
export function crossedInterval(outcomes: OutcomeMatrix, { weights, bounds }: CrossedOptions = {}): CrossedInterval {
  if (bounds) requireWithin(outcomes, bounds);
  const estimate = crossedEstimate(outcomes, weights);
  const { mean } = estimate;
  const method = methodOf(estimate);
  if (method === 'no-variation' || method === 'unknown') {
    return { mean, ...withoutVariation(mean, estimate, bounds), estimate };
  }
  const half = studentT95(estimate.degrees) * Math.sqrt(estimate.variance);
  if (bounds === undefined) return { mean, low: mean - half, high: mean + half, method, estimate };
  const [least, most] = bounds;
  const ratio = half ** 2 / ((mean - least) * (most - mean));
  const middle = (mean + (ratio * (least + most)) / 2) / (1 + ratio);
  const reach = Math.sqrt(half ** 2 + (ratio * (most - least)) ** 2 / 4) / (1 + ratio);
  return { mean, low: Math.max(least, middle - reach), high: Math.min(most, middle + reach), method, estimate };
}

/** @throws RangeError if an outcome lies outside the bounds */
export function requireWithin(outcomes: OutcomeMatrix, [least, most]: readonly [number, number]): void {
  const outside = outcomes.flat().find((outcome) => outcome < least || outcome > most);
  if (outside !== undefined) throw new RangeError(`outcome ${outside} is not between ${least} and ${most}`);
}

/** The method for these outcomes, before their bounds are considered. */
export function methodOf({ variance, seeds, tasks }: CrossedEstimate): CrossedMethod {
  if (seeds === 1 && tasks === 1) return 'unknown';
  if (variance === 0) return 'no-variation';
  return seeds === 1 ? 'tasks' : tasks === 1 ? 'seeds' : 'crossed';
}

/**
 * The interval if all outcomes are equal, which does not prove certainty. `surprise` allows a number of other outcomes,
 * each as far away as the bounds permit. At the bounds this is the limit of `crossedInterval` when the last differing
 * outcome disappears.
 */
export function withoutVariation(
  mean: number,
  estimate: CrossedEstimate,
  bounds: readonly [number, number] | undefined,
): Interval & { readonly method: CrossedMethod } {
  if (bounds === undefined) return { low: -Infinity, high: Infinity, method: 'unknown' };
  const { bySeeds, byTasks } = crossedDegrees(estimate.seeds, estimate.tasks);
  const ratio = surprise(estimate, studentT95(bySeeds), studentT95(byTasks));
  const share = ratio === Infinity ? 1 : ratio / (1 + ratio);
  const [least, most] = bounds;
  return {
    low: mean - share * (mean - least),
    high: mean + share * (most - mean),
    method: ratio === Infinity ? 'unknown' : 'no-variation',
  };
}

/**
 * Wilson's t^2 / n for outcomes that do not vary, the larger of two. If the next different outcome is that of one
 * episode, the number of trials is seeds x tasks, and seeds give the degrees of freedom. If it is that of a task for
 * all seeds, tasks give both.
 */
function surprise({ seeds, tasks }: CrossedEstimate, tOfSeeds: number, tOfTasks: number): number {
  if (seeds === 1 && tasks === 1) return Infinity;
  if (seeds === 1) return tOfTasks ** 2 / tasks;
  if (tasks === 1) return tOfSeeds ** 2 / seeds;
  return Math.max(tOfSeeds ** 2 / (seeds * tasks), tOfTasks ** 2 / tasks);
}
