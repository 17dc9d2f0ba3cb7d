import type { TrainingBatch } from '../contracts/batch.js';
import { mapColumns } from '../credit/batch-columns.js';

/** The same numbers, [rows, width], but NaN where no token was sampled. */
export function spoilArray({ mask }: Pick<TrainingBatch, 'mask'>, array: Float64Array): Float64Array {
  return array.map((value, index) => (mask[index] === 1 ? value : NaN));
}

/**
 * A copy of a batch with NaN where no token was sampled, in every per-token column of numbers, so that reading there
 * shows.
 */
export function spoilUnsampled(batch: TrainingBatch): TrainingBatch {
  return mapColumns(batch, (name, { per }) => {
    const array = batch[name];
    return per === 'token' && array instanceof Float64Array ? spoilArray(batch, array) : array;
  });
}
