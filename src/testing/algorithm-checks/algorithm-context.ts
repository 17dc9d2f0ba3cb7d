import type { Advantages, Algorithm } from '../../contracts/algorithm.js';
import type { TrainingBatch } from '../../contracts/batch.js';
import type { EvaluatedLoss, LiveArrays, Loss } from '../../contracts/loss.js';
import { evaluateLoss } from '../../credit/evaluate-loss.js';
import { lossInputs, lossOperations } from '../../credit/loss-operations.js';
import type { KitCheck } from '../conformance-kit.js';
import type { AlgorithmBatch } from './algorithm-batches.js';

/** The input of every check of algorithms. */
export interface AlgorithmContext {
  readonly create: () => Promise<Algorithm>;
  readonly algorithm: Algorithm;
  readonly batches: readonly AlgorithmBatch[];
  readonly seed: number;
}

export type AlgorithmCheck = KitCheck<AlgorithmContext>;

/** The batch as an engine gets it: with advantages, returns and weights. */
export function credited(batch: TrainingBatch, credit: Advantages, weight = batch.weight): TrainingBatch {
  const { advantages, returns, klCoefficient } = credit;
  return {
    ...batch,
    weight,
    advantages,
    ...(returns && { returns }),
    ...(klCoefficient !== undefined && {
      klCoefficient: new Float64Array(advantages.length).fill(klCoefficient),
    }),
  };
}

/** The loss of the policy together with the loss of the critic. */
export function lossOf(algorithm: Algorithm): Loss {
  const policy = algorithm.loss(lossOperations, lossInputs);
  const critic = algorithm.critic?.loss(lossOperations, lossInputs);
  return { terms: { ...policy.terms, ...critic?.terms }, metrics: { ...policy.metrics, ...critic?.metrics } };
}

/** Computes advantages, weights and the loss of a batch while the policy still equals the sampler. */
export function update(
  algorithm: Algorithm,
  { batch, live }: { readonly batch: TrainingBatch; readonly live: LiveArrays },
): { readonly credit: Advantages; readonly weight: Float64Array; readonly result: EvaluatedLoss } {
  const credit = algorithm.advantages(batch, algorithm.initialState);
  const weight = algorithm.weights(credited(batch, credit));
  return { credit, weight, result: evaluateLoss(credited(batch, credit, weight), live, lossOf(algorithm)) };
}

/** The arrays of an update by name. */
export function arraysOf({ credit, weight, result }: ReturnType<typeof update>): {
  readonly [name: string]: Float64Array;
} {
  const { advantages, returns = new Float64Array() } = credit;
  return { advantages, returns, weight, ...result.gradients };
}

export const same = (left: ArrayLike<number>, right: ArrayLike<number>): boolean =>
  left.length === right.length && Array.from(left).every((value, index) => Object.is(value, right[index]));

/** True if two numbers differ only by the order of additions. */
export function near(left = NaN, right = NaN): boolean {
  return Math.abs(left - right) <= 1e-9 * Math.max(1, Math.abs(left), Math.abs(right));
}

/** The run of a check with sentences about single batches, to each of which it adds the name of its batch. */
export const eachBatch =
  (sentence: (given: AlgorithmBatch, context: AlgorithmContext) => string | undefined | false) =>
  (context: AlgorithmContext): readonly string[] =>
    context.batches.flatMap((given) => {
      const found = sentence(given, context);
      return typeof found === 'string' ? [`on ${given.name}: ${found}`] : [];
    });
