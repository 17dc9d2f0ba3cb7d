import type { TrainingBatch } from '../contracts/batch.js';

/** Rows of each group, in order of first appearance. */
export function groupRows(batch: TrainingBatch): readonly (readonly number[])[] {
  const groups = new Map<number, number[]>();
  batch.group.forEach((group, row) => {
    const rows = groups.get(group);
    if (rows === undefined) groups.set(group, [row]);
    else rows.push(row);
  });
  return [...groups.values()];
}

/** Mean and standard deviation with n - 1, in two passes; see `CreditTools.meanAndDeviation`. The mean of nothing is 0. */
export function meanAndDeviation(
  values: readonly number[],
  noSignalBelow = 0,
): { readonly mean: number; readonly deviation: number } {
  if (values.length === 0) return { mean: 0, deviation: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length === 1) return { mean, deviation: 0 };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (values.length - 1));
  return { mean, deviation: deviation <= noSignalBelow ? 0 : deviation };
}

/**
 * Each value less the mean of the others (Kool et al. 2019; Ahmadian et al. 2024, arXiv 2402.14740): R - (n mean - R) / (n - 1). One alone stays as
 * it is. Where the deviation is not above `noSignalBelow` all are 0: sums that are equal on paper are equal.
 */
export function leaveOneOut(values: readonly number[], noSignalBelow = 0): readonly number[] {
  if (values.length === 1) return values;
  const { mean, deviation } = meanAndDeviation(values, noSignalBelow);
  return values.map((value) => (deviation === 0 ? 0 : ((value - mean) * values.length) / (values.length - 1)));
}
