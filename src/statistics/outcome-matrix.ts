/**
 * Outcomes of several seeds evaluated on the same tasks: one row per seed, one column per cluster of tasks (without
 * clusters: per task). An entry is the mean over the episodes of that seed in that cluster. No entry may be missing, so
 * a task that one seed could not play is left out for all.
 */
export type OutcomeMatrix = readonly (readonly number[])[];

export interface ColumnShares {
  /** How much each column counts: its share of all tasks. */
  readonly shares: readonly number[];
  /**
   * 1 / sum(share^2): the number of columns if they have equal weights, fewer if some have more weight (Kish 1965,
   * section 11.7).
   */
  readonly effective: number;
}

/**
 * Checks a matrix, and returns the weight of each column.
 *
 * @param weights the number of tasks in each cluster; absent: one each
 * @throws RangeError if the matrix is empty, ragged or not of numbers, or the weights do not fit
 */
export function columnShares(
  outcomes: OutcomeMatrix,
  weights: readonly number[] = outcomes[0]?.map(() => 1) ?? [],
): ColumnShares {
  if (weights.length === 0) throw new RangeError('no outcomes: a matrix needs a seed and a task');
  for (const [seed, row] of outcomes.entries()) {
    if (row.length !== weights.length) {
      throw new RangeError(
        `row ${seed} has ${row.length} outcomes, but ${weights.length} clusters of tasks are weighted`,
      );
    }
    const missing = row.findIndex((outcome) => !Number.isFinite(outcome));
    if (missing >= 0)
      throw new RangeError(`row ${seed} has no outcome for cluster ${missing}; leave it out for all seeds`);
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(weights.every((weight) => weight > 0) && Number.isFinite(total))) {
    throw new RangeError('the weight of a cluster of tasks is a number above 0');
  }
  // Computed from weights instead of shares, so that equal weights give a whole number.
  const effective = total ** 2 / weights.reduce((sum, weight) => sum + weight ** 2, 0);
  return { shares: weights.map((weight) => weight / total), effective };
}

/**
 * The differences `second - first` of two cells that share seeds (rows) and tasks (columns).
 *
 * @throws RangeError if the matrices differ in shape
 */
export function pairedDifferences(first: OutcomeMatrix, second: OutcomeMatrix): number[][] {
  if (first.length !== second.length) throw new RangeError(`${first.length} seeds cannot pair with ${second.length}`);
  return second.map((row, seed) => {
    const other = first[seed] as readonly number[];
    if (row.length !== other.length) throw new RangeError(`${other.length} tasks cannot pair with ${row.length}`);
    return row.map((outcome, task) => outcome - (other[task] as number));
  });
}
