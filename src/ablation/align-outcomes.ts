import { grouped } from '../statistics/grouped.js';
import { mean } from '../statistics/mean.js';
import type { OutcomeMatrix } from '../statistics/outcome-matrix.js';
import type { RunOutcomes } from './read-outcomes.js';

/**
 * Outcomes of several runs on the tasks that all of them played. Each row is a run, and each column a cluster of tasks.
 */
export interface AlignedOutcomes {
  /** Means over the tasks of each cluster, in the order of the runs. */
  readonly rows: OutcomeMatrix;
  /** Tasks in each cluster, or the sum of their weights. */
  readonly weights: readonly number[];
  /** Total number of tasks. */
  readonly tasks: number;
}

/** Returns undefined if the runs have no common task. */
export function alignOutcomes(runs: readonly RunOutcomes[]): AlignedOutcomes | undefined {
  const [first, ...others] = runs;
  if (first === undefined) return undefined;
  const common = [...first.values.keys()].filter((task) => others.every(({ values }) => values.has(task)));
  if (common.length === 0) return undefined;
  const groups = grouped(common, (task) => first.clusters.get(task) ?? task);
  return {
    rows: runs.map(({ values }) => groups.map((tasks) => mean(tasks.map((task) => values.get(task) ?? Number.NaN)))),
    weights: groups.map((tasks) => tasks.reduce((sum, task) => sum + (first.weights?.get(task) ?? 1), 0)),
    tasks: common.length,
  };
}
