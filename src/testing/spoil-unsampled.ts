import type { TrainingBatch } from '../contracts/batch.js';
import { mapColumns } from '../credit/batch-columns.js';

/** The same numbers, [rows, width], but NaN wherever nothing was sampled. */
export function spoilArray({ mask }: Pick<TrainingBatch, 'mask'>, array: Float64Array): Float64Array {
  return array.map((value, index) => (mask[index] === 1 ? value : NaN));
}

/**
 * A batch with NaN wherever nothing was sampled, in every column of numbers per token: whoever reads there is found
 * out.
 */
export function spoilUnsampled(batch: TrainingBatch): TrainingBatch {
  return mapColumns(batch, (name, { per }) => {
    const array = batch[name];
    return per === 'token' && array instanceof Float64Array ? spoilArray(batch, array) : array;
  });
}
