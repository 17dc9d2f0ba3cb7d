import type { TrainingBatch } from '../contracts/batch.js';
import type { KlEstimator } from '../contracts/credit.js';

/** The estimator's value of d = log p - log p_reference. */
function divergence(d: number, estimator: KlEstimator): number {
  switch (estimator) {
    case 'k1':
      return d;
    case 'abs':
      return Math.abs(d);
    case 'k2':
      return (d * d) / 2;
    case 'k3':
    case 'k3-straight-through':
      return Math.expm1(-d) + d;
  }
}

/**
 * [rows, width] rewards minus `coefficient` times the divergence of the sampler from the reference, on each sampled
 * token; 0 elsewhere.
 */
export function penalizedRewards(batch: TrainingBatch, coefficient: number, estimator: KlEstimator): Float64Array {
  const rewards = new Float64Array(batch.rewards.length);
  for (const index of sampledIndices(batch)) {
    rewards[index] = (batch.rewards[index] as number) - coefficient * at(batch, index, estimator);
  }
  return rewards;
}

/** Mean over sampled tokens; 0 without sampled tokens. */
export function referenceDivergence(batch: TrainingBatch, estimator: KlEstimator): number {
  const indices = sampledIndices(batch);
  return indices.reduce((sum, index) => sum + at(batch, index, estimator), 0) / Math.max(1, indices.length);
}

function at({ logprobs, referenceLogprobs }: TrainingBatch, index: number, estimator: KlEstimator): number {
  if (referenceLogprobs === undefined) throw new RangeError('the batch has no `referenceLogprobs`');
  return divergence((logprobs[index] as number) - (referenceLogprobs[index] as number), estimator);
}

function sampledIndices({ mask }: TrainingBatch): number[] {
  return Array.from(mask.keys()).filter((index) => mask[index] === 1);
}
