import type { TrainingBatch } from '../contracts/batch.js';

export interface ImportanceWeights {
  /** [rows, width] min(p_trainer / p_sampler, cap) on sampled tokens; 0 elsewhere. */
  readonly weights: Float64Array;
  /** [rows, width] the trainer's log probabilities. */
  readonly trainer: Float64Array;
  /** Mean over sampled tokens. */
  readonly mean: number;
  /** Share of sampled tokens that the cap limits. */
  readonly capped: number;
  /** Largest absolute difference between the two log probabilities. */
  readonly gap: number;
}

/**
 * Truncated importance weights between the sampler's policy and the trainer's policy with the same weights (Espeholt et
 * al. 2018, arXiv 1802.01561, section 4.1, with the cap on a single token; verl's `rollout_correction`). They are
 * needed because two engines, or two precisions, never give exactly the same numbers.
 *
 * @param batch its `logprobs` are those of the sampler
 * @param trainer [rows, width] the trainer's log probabilities of the same tokens
 */
export function importanceWeights(batch: TrainingBatch, trainer: Float64Array, cap: number): ImportanceWeights {
  const weights = new Float64Array(trainer.length);
  let [sum, capped, tokens, gap] = [0, 0, 0, 0];
  for (const [index, mask] of batch.mask.entries()) {
    if (mask !== 1) continue;
    const difference = (trainer[index] as number) - (batch.logprobs[index] as number);
    const ratio = Math.exp(difference);
    weights[index] = Math.min(ratio, cap);
    sum += weights[index];
    capped += ratio > cap ? 1 : 0;
    gap = Math.max(gap, Math.abs(difference));
    tokens += 1;
  }
  return { weights, trainer, mean: sum / Math.max(1, tokens), capped: capped / Math.max(1, tokens), gap };
}
