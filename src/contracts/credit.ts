import type { TrainingBatch } from './batch.js';
import type { LossExpression, LossInputs, LossOperations } from './loss.js';

/** How per-token losses become one number. Named as in the recorded batches of verl. */
export type LossAggregation =
  /** Mean over all sampled tokens of the minibatch. */
  | 'token-mean'
  /** Mean over sequences with a sampled token of the sum over their tokens. */
  | 'sequence-mean-token-sum'
  /** Mean over sequences with a sampled token of the mean over their tokens. */
  | 'sequence-mean-token-mean'
  /** Sum over all tokens, divided by rows with a sampled token times a constant length. */
  | 'constant-length';

/** An estimator of the KL divergence from the reference, per token, out of log p - log p_ref (Schulman 2020). */
export type KlEstimator = 'k1' | 'k2' | 'k3';

/** A sequence's sampled tokens in order, as if nothing stood between them. */
export interface ActionTokens {
  /** Indices into the arrays of the batch (row * width + t), ascending. */
  readonly indices: readonly number[];
  /** Index of the last token of each turn. */
  readonly turnEnds: readonly number[];
}

/** What algorithms share; an algorithm's host carries it as `credit`. Pure functions over batches. */
export interface CreditTools {
  /** Sampled tokens of a row. */
  actionTokens(batch: TrainingBatch, row: number): ActionTokens;
  /** [rows] undiscounted sum of the rewards on sampled tokens. */
  episodeReturns(batch: TrainingBatch): Float64Array;
  /** Rows of each group, in order of first appearance. */
  groupRows(batch: TrainingBatch): readonly (readonly number[])[];
  /** [rows, width] `perRow[row]` on every sampled token, 0 elsewhere. */
  spreadOverTokens(batch: TrainingBatch, perRow: Float64Array): Float64Array;
  /** [rows, width] weights such that the sum of weight * loss is the aggregate. 0 outside sampled tokens. */
  aggregationWeights(batch: TrainingBatch, aggregation: LossAggregation, constantLength?: number): Float64Array;
  /**
   * Mean and standard deviation (n - 1; 0 for fewer than two). A deviation at or below `noSignalBelow` is 0: sums that are equal on paper
   * differ in their last bits, and dividing by that would make a signal out of rounding.
   */
  meanAndDeviation(
    values: readonly number[],
    noSignalBelow?: number,
  ): { readonly mean: number; readonly deviation: number };
  /** Per-token KL estimate between the live policy and the reference, as a differentiable expression. */
  klExpression(ops: LossOperations, inputs: LossInputs, estimator: KlEstimator): LossExpression;
}
