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
  /** Absolute difference between the two log probabilities of a sampled token. */
  readonly gap: { readonly largest: number; readonly mean: number };
  /** Effective sample size, (sum w)^2 / sum w^2, as a share of the sampled tokens. (Kish 1965.) */
  readonly effective: number;
}

/**
 * Truncated importance weights between the sampler's policy and the trainer's policy with the same weights (Espeholt et
 * al. 2018, arXiv 1802.01561, section 4.1, with the cap on a single token; Yao et al. 2025, "Your Efficient RL Framework
 * Secretly Brings You Off-Policy RL Training"; verl's `rollout_correction`). They are needed because two engines, or two
 * precisions, never give exactly the same numbers. A weight corrects the choice of its own token. The choices before and
 * after it are not corrected, as they would be by the product over the sequence, whose variance grows with the length.
 *
 * @param batch its `logprobs` are those of the sampler
 * @param trainer [rows, width] the trainer's log probabilities of the same tokens
 */
export function importanceWeights(batch: TrainingBatch, trainer: Float64Array, cap: number): ImportanceWeights {
  const weights = new Float64Array(trainer.length);
  let [sum, squares, capped, tokens, largest, differences] = [0, 0, 0, 0, 0, 0];
  for (const [index, mask] of batch.mask.entries()) {
    if (mask !== 1) continue;
    const difference = (trainer[index] as number) - (batch.logprobs[index] as number);
    const ratio = Math.exp(difference);
    weights[index] = Math.min(ratio, cap);
    sum += weights[index];
    squares += weights[index] ** 2;
    capped += ratio > cap ? 1 : 0;
    largest = Math.max(largest, Math.abs(difference));
    differences += Math.abs(difference);
    tokens += 1;
  }
  const share = (of: number): number => of / Math.max(1, tokens);
  return {
    weights,
    trainer,
    mean: share(sum),
    capped: share(capped),
    gap: { largest, mean: share(differences) },
    effective: squares === 0 ? 0 : share(sum ** 2 / squares),
  };
}
