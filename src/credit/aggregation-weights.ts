import type { TrainingBatch } from '../contracts/batch.js';
import type { LossAggregation } from '../contracts/credit.js';
import { actionTokens } from './action-tokens.js';

/**
 * [rows, width] weights such that the sum of weight * loss is the aggregate; 0 outside sampled tokens. A sequence is an
 * episode, in however many rows. One without sampled tokens does not count, as in verl. With `countEmpty` it counts as 0,
 * as in TRL's GRPOTrainer.
 *
 * @param constantLength divisor of `constant-length` in tokens; other aggregations do not read it
 * @throws RangeError if `constant-length` has no positive length
 */
export function aggregationWeights(
  batch: TrainingBatch,
  aggregation: LossAggregation,
  constantLength?: number,
  countEmpty = false,
): Float64Array {
  const episodes = actionTokens(batch);
  const sampled = episodes.filter(({ indices }) => indices.length > 0);
  const tokens = sampled.reduce((sum, { indices }) => sum + indices.length, 0);
  const sequences = countEmpty ? episodes.length : sampled.length;
  const weights = new Float64Array(batch.rows * batch.width);
  for (const { indices } of sampled) {
    const weight = 1 / divisor(aggregation, { tokens, sequences, length: indices.length, constantLength });
    for (const index of indices) weights[index] = weight;
  }
  return weights;
}

function divisor(
  aggregation: LossAggregation,
  of: { tokens: number; sequences: number; length: number; constantLength: number | undefined },
): number {
  switch (aggregation) {
    case 'token-mean':
      return of.tokens;
    case 'sequence-mean-token-sum':
      return of.sequences;
    case 'sequence-mean-token-mean':
      return of.sequences * of.length;
    case 'constant-length':
      if (of.constantLength === undefined || !(of.constantLength > 0)) {
        throw new RangeError(`the aggregation \`constant-length\` needs a positive length, not ${of.constantLength}`);
      }
      return of.sequences * of.constantLength;
  }
}
