import type { TrainingBatch } from '../contracts/batch.js';
import { emptyColumn, mapColumns } from '../credit/batch-columns.js';

/**
 * Some rows of a batch, in the given order, with all its columns.
 *
 * @param width of the result; by default the length of the longest of the rows. Beyond the batch's own width, padding
 * is
 * added
 */
export function selectRows(
  batch: TrainingBatch,
  rows: readonly number[],
  width = rows.reduce((longest, row) => Math.max(longest, batch.length[row] ?? 0), 0),
): TrainingBatch {
  const shape = { rows: rows.length, width, temperature: batch.temperature };
  return mapColumns(shape, (name, column) => {
    const source = batch[name];
    if (source === undefined) return undefined;
    const target = emptyColumn(column, shape);
    const [from, to] = column.per === 'token' ? [batch.width, width] : [1, 1];
    for (const [index, row] of rows.entries()) {
      target.set(source.subarray(row * from, row * from + Math.min(from, to)), index * to);
    }
    return target;
  });
}
