import type { Advantages, Algorithm } from '../../contracts/algorithm.js';
import type { TrainingBatch } from '../../contracts/batch.js';
import type { Loss } from '../../contracts/loss.js';
import { evaluateLoss, type EvaluatedLoss, type LiveArrays } from '../../credit/evaluate-loss.js';
import { lossInputs, lossOperations } from '../../credit/loss-operations.js';
import type { AlgorithmBatch } from './algorithm-batches.js';

/** What every check of an algorithm is given. */
export interface AlgorithmContext {
  create(): Promise<Algorithm>;
  readonly algorithm: Algorithm;
  readonly batches: readonly AlgorithmBatch[];
  readonly seed: number;
}

/** The batch as the loop hands it to an engine. */
export function credited(batch: TrainingBatch, credit: Advantages, weight = batch.weight): TrainingBatch {
  const { advantages, returns, klCoefficient } = credit;
  const coefficients =
    klCoefficient === undefined ? undefined : new Float64Array(advantages.length).fill(klCoefficient);
  return {
    ...batch,
    weight,
    advantages,
    ...(returns && { returns }),
    ...(coefficients && { klCoefficient: coefficients }),
  };
}

/** The loss of the policy, and the critic's. */
export function lossOf(algorithm: Algorithm): Loss {
  const policy = algorithm.loss(lossOperations, lossInputs);
  const critic = algorithm.critic?.loss(lossOperations, lossInputs);
  return { terms: { ...policy.terms, ...critic?.terms }, metrics: { ...policy.metrics, ...critic?.metrics } };
}

/** What the loop makes of a batch: advantages, weights, and the loss where the policy is still the sampler. */
export function update(
  algorithm: Algorithm,
  { batch, live }: { readonly batch: TrainingBatch; readonly live: LiveArrays },
): { readonly credit: Advantages; readonly weight: Float64Array; readonly result: EvaluatedLoss } {
  const credit = algorithm.advantages(batch, algorithm.initialState);
  const weight = algorithm.weights(credited(batch, credit));
  return { credit, weight, result: evaluateLoss(credited(batch, credit, weight), live, lossOf(algorithm)) };
}

export const same = (left: ArrayLike<number>, right: ArrayLike<number>): boolean =>
  left.length === right.length && Array.from(left).every((value, index) => Object.is(value, right[index]));

/** Equal but for the order of additions. */
export function near(left = NaN, right = NaN): boolean {
  return Math.abs(left - right) <= 1e-9 * Math.max(1, Math.abs(left), Math.abs(right));
}

/** One sentence for each batch where `sentence` has one. */
export function each(
  { batches }: AlgorithmContext,
  sentence: (given: AlgorithmBatch) => string | undefined | false,
): readonly string[] {
  return batches.flatMap((given) => {
    const found = sentence(given);
    return typeof found === 'string' ? [`on ${given.name}: ${found}`] : [];
  });
}
