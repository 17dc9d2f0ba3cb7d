import type { TrainingBatch } from '../contracts/batch.js';
import type { KlControl, KlOptions } from '../contracts/credit.js';
import { episodeRows } from './action-tokens.js';
import { klExpression } from './kl-expression.js';
import { penalizedRewards, referenceDivergence } from './reference-divergence.js';

/**
 * The largest relative error to which one step of the control reacts (Ziegler et al. 2019, arXiv 1909.08593, section
 * 2.2).
 */
const largestError = 0.2;

/**
 * Keeps a policy near its reference. In the reward, each sampled token pays for its own divergence (Ouyang et al. 2022,
 * arXiv 2203.02155, equation 2); in the loss, the divergence is a separate term (GRPO, arXiv 2402.03300). With a
 * target, the coefficient grows while the divergence is above the target, and shrinks while it is below (Ziegler et al.
 * 2019). Each step multiplies it by `1 + error * episodes / klHorizon`, with the relative error limited to [-0.2, 0.2].
 */
export function klControl(options: KlOptions): KlControl {
  const { klCoefficient, klIn, klEstimator, klTarget, klHorizon } = options;
  if (klCoefficient === 0) {
    return { roles: [], initialState: {}, take: (batch, state) => ({ batch, state, metrics: {} }), terms: () => ({}) };
  }
  const adaptive = klTarget !== null;

  function next(batch: TrainingBatch, coefficient: number): number {
    if (!adaptive) return coefficient;
    const error = referenceDivergence(batch, klEstimator) / klTarget - 1;
    const bounded = Math.min(largestError, Math.max(-largestError, error));
    return coefficient * (1 + (bounded * episodeRows(batch).length) / klHorizon);
  }

  return {
    roles: ['reference'],
    initialState: adaptive ? { klCoefficient } : {},
    take(batch, state) {
      const coefficient = adaptive ? (state['klCoefficient'] as number) : klCoefficient;
      return {
        batch: klIn === 'loss' ? batch : { ...batch, rewards: penalizedRewards(batch, coefficient, klEstimator) },
        state: adaptive ? { ...state, klCoefficient: next(batch, coefficient) } : state,
        ...(adaptive && klIn === 'loss' && { klCoefficient: coefficient }),
        metrics: adaptive ? { kl_coefficient: coefficient } : {},
      };
    },
    terms(ops, inputs) {
      if (klIn === 'reward') return {};
      const weight = adaptive ? inputs.klCoefficient : ops.constant(klCoefficient);
      return { kl: ops.mul(weight, klExpression(ops, inputs, klEstimator)) };
    },
  };
}
