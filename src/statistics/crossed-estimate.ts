// The mean of outcomes y[s][t] of seed s in task cluster t. Both the seeds and the tasks are samples, and every seed
// has the same tasks (Searle, Casella and McCulloch 1992, Variance Components, section 4.3; `two-way crossed, random,
// one observation per cell`):
//
//   y[s][t] = mean + a[s] + b[t] + e[s][t],   variance of the mean = var(a)/S + var(b)/T + var(e)/(S T)
//
// The mean squares of the analysis of variance have the expectations
//
//   seed: T var(a) + var(e)     task: S var(b) + var(e)     rest: var(e)
//
// so (seed + task - rest) / (S T) estimates it without bias. Clusters of unequal size have their share p[t] of all
// tasks as weight. The variance of the weighted mean is the same formula with T = 1 / sum(p^2) (Kish 1965, section
// 11.7), and the mean squares are scaled to have these expectations if effects are alike in all clusters. With equal
// clusters, this is the standard analysis.
//
// Three rules keep the interval reliable with few seeds (docs/decisions/intervals.md shows the effect of each on
// coverage):
//
// - task - rest is at least 0. So the variance is at least that of seeds alone, and then has their degrees of freedom.
//   But seed is not raised to rest: 2 degrees of freedom often show no difference between seeds that do differ.
// - Satterthwaite (1946, Biometrics Bulletin 2, 110-114) uses 1 / degrees = sum(share^2 / degrees of the part), over
//   the parts seed and task - rest of the variance. This assumes that the shares are known. If seeds agree by luck,
//   their share is too small, and its square is much too small. The shares without squares give the same result at both
//   ends, and fewer degrees of freedom between them.
// - seed is at least rest / t^2, where t is its own 97.5 % quantile. So seeds that agree on every task still give an
//   interval of at least one standard error of the rest.
//
// `seed` and `task` change places if there are fewer tasks.
import { columnShares, type OutcomeMatrix } from './outcome-matrix.js';
import { studentT95 } from './student-t.js';

/** Variance components of outcomes, in squared units of the outcome, at least 0. */
export interface CrossedComponents {
  /** Between seeds, over all tasks. */
  readonly seed: number;
  /** Between clusters of tasks, over all seeds. */
  readonly task: number;
  /** The rest: chance, and differences between seeds in which tasks they solve. */
  readonly rest: number;
}

export interface CrossedEstimate {
  readonly mean: number;
  readonly seeds: number;
  /** The effective number of task clusters: all of them if they have one size, fewer if some outweigh others. */
  readonly tasks: number;
  /** `seed` and `rest` are 0 with one seed, `task` and `rest` with one cluster: they cannot be estimated. */
  readonly components: CrossedComponents;
  /** Variance of the mean. 0 if all outcomes are equal, or if there is only one. */
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
 * @throws RangeError if the matrix is empty, ragged or not of numbers
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
  // Expected sum of the squared, weighted deviations of effects with variance 1 from their weighted mean.
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
  // Equal within rounding: 0.8 - 0.6 and 0.2 - 0 are not the same double.
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

/** Degrees of freedom of the mean squares between seeds, and between this effective number of task clusters. */
export function crossedDegrees(seeds: number, tasks: number): { bySeeds: number; byTasks: number } {
  // One large cluster among small ones has almost no degrees of freedom, which no t distribution allows.
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
