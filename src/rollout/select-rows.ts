import type { TrainingBatch } from '../contracts/batch.js';
import { emptyColumn, mapColumns } from '../credit/batch-columns.js';

/**
 * Some rows of a batch, in the order given, with every column that it has.
 *
 * @param width of the result: as wide as the longest of the rows where it is not given; beyond the batch's own width
 * stands padding
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
