// The mean of outcomes y[s][t] of seed s in task cluster t, where both the seeds and the tasks are a sample and every
// seed has the same tasks (Searle, Casella and McCulloch 1992, Variance Components, section 4.3; `two-way crossed,
// random, one observation a cell`):
//
//   y[s][t] = mean + a[s] + b[t] + e[s][t],   variance of the mean = var(a)/S + var(b)/T + var(e)/(S T)
//
// The mean squares of the analysis of variance have the expectations
//
//   seed: T var(a) + var(e)     task: S var(b) + var(e)     rest: var(e)
//
// so (seed + task - rest) / (S T) estimates it without bias. Clusters of unequal size count by their share p[t] of all
// tasks: the variance of the weighted mean is the same formula with T = 1 / sum(p^2) (Kish 1965, section 11.7), and the
// mean squares are scaled to have these expectations where effects are alike in all clusters. With equal clusters it is
// the textbook's analysis.
//
// Three things keep the interval honest with few seeds (what each is worth in coverage: docs/decisions/intervals.md):
//
// - task - rest is not taken below 0, so that the variance is at least what seeds alone say, and then has their degrees
//   of freedom. seed is not raised to rest in turn: 2 degrees of freedom often find no difference between seeds that do
//   differ.
// - Satterthwaite (1946, Biometrics Bulletin 2, 110-114) has 1 / degrees = sum(share^2 / degrees of the part), over the
//   parts seed and task - rest of the variance. That takes the shares for known. Where seeds agree by luck, their share
//   is too small and its square much too small; the shares themselves, not squared, give the same at both ends and lean
//   to the fewer degrees between them.
// - seed is not taken below rest / t^2, t being its own 97.5 % quantile: seeds that agree to the last task leave an
//   interval of at least one standard error of the rest.
//
// `seed` and `task` change places where tasks are the fewer.
import { columnShares, type OutcomeMatrix } from './outcome-matrix.js';
import { studentT95 } from './student-t.js';

/** Variances of what makes outcomes differ, in squared units of the outcome, none below 0. */
export interface CrossedComponents {
  /** Between seeds, over all tasks. */
  readonly seed: number;
  /** Between clusters of tasks, over all seeds. */
  readonly task: number;
  /** What is left: chance, and seeds that differ in which tasks they solve. */
  readonly rest: number;
}

export interface CrossedEstimate {
  readonly mean: number;
  readonly seeds: number;
  /**
   * The effective number of task clusters: all of them where they are of one size, fewer where some outweigh others.
   */
  readonly tasks: number;
  /** `seed` and `rest` are 0 with one seed, `task` and `rest` with one cluster: nothing can be said of them. */
  readonly components: CrossedComponents;
  /** Of the mean; 0 where all outcomes are equal, or there is only one. */
  readonly variance: number;
  /** Degrees of freedom of `variance`, at least 1. */
  readonly degrees: number;
  /**
   * Whether the 95 % t interval is narrower than the sampling of tasks alone would make it (of seeds, if there are
   * fewer tasks). Then seeds agree better than tasks allow by chance, and fewer than 95 % of such intervals cover.
   */
  readonly narrow: boolean;
}

/**
 * Estimates the mean over seeds and tasks, and its variance.
 *
 * @param weights the number of tasks in each cluster; absent: one each
 * @throws RangeError where the matrix is empty, ragged or not of numbers
 */
export function crossedEstimate(outcomes: OutcomeMatrix, weights?: readonly number[]): CrossedEstimate {
  const { shares, effective: tasks } = columnShares(outcomes, weights);
  const sumOver = (value: (share: number, task: number) => number): number =>
    shares.reduce((sum, share, task) => sum + value(share, task), 0);
  const seeds = outcomes.length;
  const seedMeans = outcomes.map((row) => sumOver((share, task) => share * (row[task] as number)));
  const taskMeans = shares.map((_, task) => outcomes.reduce((sum, row) => sum + (row[task] as number), 0) / seeds);
  const mean = seedMeans.reduce((sum, value) => sum + value, 0) / seeds;

  const squares = sumOver((share) => share ** 2);
  // What the squared, weighted deviations of effects with variance 1 from their weighted mean sum to, on average.
  const spread = squares - 2 * sumOver((share) => share ** 3) + squares ** 2;
  const [manySeeds, manyTasks] = [seeds > 1, shares.length > 1];
  const meanSquares = {
    seed: manySeeds ? (tasks * seedMeans.reduce((sum, value) => sum + (value - mean) ** 2, 0)) / (seeds - 1) : 0,
    task: manyTasks
      ? (seeds * sumOver((share, task) => (share * ((taskMeans[task] as number) - mean)) ** 2)) / spread
      : 0,
    rest: 0,
  };
  if (manySeeds && manyTasks) {
    for (const [seed, row] of outcomes.entries()) {
      const away = (seedMeans[seed] as number) - mean;
      const left = (share: number, task: number): number =>
        (share * ((row[task] as number) - (taskMeans[task] as number) - away)) ** 2;
      meanSquares.rest += sumOver(left) / (spread * (seeds - 1));
    }
  }
  const components = {
    seed: manySeeds ? Math.max(0, meanSquares.seed - meanSquares.rest) / tasks : 0,
    task: Math.max(0, meanSquares.task - meanSquares.rest) / seeds,
    rest: meanSquares.rest,
  };
  // Within rounding: 0.8 - 0.6 and 0.2 - 0 are not the same double.
  const first = outcomes[0]?.[0] as number;
  const constant = outcomes.every((row) =>
    row.every((outcome) => Math.abs(outcome - first) <= 1e-12 * Math.abs(first)),
  );
  if (constant) {
    const none = { seed: 0, task: 0, rest: 0 };
    return { mean: first, seeds, tasks, components: none, ...meanVariance(none, seeds, tasks) };
  }
  return { mean, seeds, tasks, components, ...meanVariance(meanSquares, seeds, tasks) };
}

/** Degrees of freedom of the mean squares between seeds, and between (effectively so many) clusters of tasks. */
export function crossedDegrees(seeds: number, tasks: number): { bySeeds: number; byTasks: number } {
  // One large cluster among small ones has next to none, which no t distribution can use.
  return { bySeeds: Math.max(1, seeds - 1), byTasks: Math.max(1, tasks - 1) };
}

/**
 * The variance of the mean, from mean squares.
 *
 * @param tasks effective number of task clusters
 */
export function meanVariance(
  meanSquares: { readonly seed: number; readonly task: number; readonly rest: number },
  seeds: number,
  tasks: number,
): Pick<CrossedEstimate, 'variance' | 'degrees' | 'narrow'> {
  const { seed, task, rest } = meanSquares;
  const { bySeeds, byTasks } = crossedDegrees(seeds, tasks);
  if (seeds === 1) return { variance: task / tasks, degrees: byTasks, narrow: false };
  if (tasks === 1) return { variance: seed / seeds, degrees: bySeeds, narrow: false };
  const ofSeeds = { square: seed, degrees: bySeeds };
  const ofTasks = { square: task, degrees: byTasks };
  const [few, many] = bySeeds <= byTasks ? [ofSeeds, ofTasks] : [ofTasks, ofSeeds];
  const lucky = few.square < rest;
  const whole = lucky ? Math.max(few.square, rest / studentT95(few.degrees) ** 2) : few.square;
  const more = Math.max(0, many.square - rest);
  const total = whole + more;
  const degrees = more === 0 ? few.degrees : total / (whole / few.degrees + more / many.degrees);
  const narrow =
    lucky && studentT95(degrees) ** 2 * total < studentT95(many.degrees) ** 2 * Math.max(many.square, rest);
  return { variance: total / (seeds * tasks), degrees, narrow };
}
