import type { TrainingBatch } from './batch.js';
import type { JsonObject } from './json.js';
import type { LossExpression, LossInputs, LossOperations } from './loss.js';
import type { CompletedEpisode } from './trajectory.js';

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

/**
 * An estimator of the KL divergence from the reference, per token, out of d = log p - log p_ref (Schulman 2020): k1 =
 * d, abs = |d|, k2 = d^2 / 2, k3 = exp(-d) - 1 + d; `k3-straight-through` has the value of k3 and the derivative of k2.
 */
export type KlEstimator = 'k1' | 'abs' | 'k2' | 'k3' | 'k3-straight-through';

/**
 * What the future is worth. Both may be set: a step from a turn's last token to the next turn's first is discounted by
 * their product.
 */
export interface Discounts {
  /** From one sampled token to the next. Tokens that nobody sampled do not discount. */
  readonly token: number;
  /** From one turn to the next. */
  readonly turn: number;
}

/** Advantages, and what a critic is trained on beside them. */
export interface AdvantageEstimate {
  /** [rows, width]; 0 outside sampled tokens. */
  readonly advantages: Float64Array;
  /** [rows, width] advantage + value: what the critic should have said. */
  readonly returns: Float64Array;
}

/** How generalised advantage estimation (GAE, Schulman et al. 2016) looks ahead. */
export interface GeneralizedAdvantageOptions extends Discounts {
  /** Weight of longer looks ahead, GAE's lambda: from token to token, or from turn to turn. */
  readonly lambda: number;
  /** What takes a step: a sampled token, or a turn, whose tokens then share one advantage. */
  readonly level: 'token' | 'turn';
  /**
   * The value after the last action of a truncated episode is `bootstrapValue`; false: 0, as after a terminated one.
   */
  readonly bootstrap: boolean;
}

/** A deviation divides by n - 1 (`sample`) or by n. */
export type DeviationKind = 'sample' | 'population';

/** How numbers are brought to mean 0 and deviation 1. */
export interface WhiteningOptions {
  /** Added to the variance before the root is taken. */
  readonly varianceEpsilon?: number;
  /** A deviation that is not above this is no signal: everything is 0. */
  readonly noSignalBelow?: number;
  readonly deviation?: DeviationKind;
}

/** Bounds of PPO's clipped objective (Schulman et al. 2017). */
export interface ClipOptions {
  /** The ratio to the sampling policy; absent: of the token. */
  readonly ratio?: LossExpression;
  readonly clipLow: number;
  readonly clipHigh: number;
  /**
   * Highest loss of a token with a negative advantage, in multiples of that advantage (Ye et al. 2020, arXiv
   * 1912.09729).
   */
  readonly dualClip?: number | null;
  /** Highest ratio of the unclipped side (TRL's `delta`). */
  readonly ratioCap?: number | null;
}

/** A surrogate objective per token, larger is better, and what it is logged by. */
export interface ClippedObjective {
  readonly objective: LossExpression;
  readonly metrics: { readonly [name: string]: LossExpression };
}

/** How a policy is kept near the one that training began with. */
export interface KlOptions {
  /** Weight of the divergence; 0: none. With a target, where it begins. */
  readonly klCoefficient: number;
  /** Taken from each token's reward, or added to the loss. */
  readonly klIn: 'loss' | 'reward';
  readonly klEstimator: KlEstimator;
  /** The divergence per sampled token that the coefficient is steered to; null: the coefficient stays. */
  readonly klTarget: number | null;
  /** Episodes over which the steering takes effect. */
  readonly klHorizon: number;
}

/** The options at work; everything is empty where the coefficient is 0. */
export interface KlControl {
  readonly roles: readonly 'reference'[];
  /** To be part of the algorithm's. */
  readonly initialState: JsonObject;
  /**
   * To be part of what `advantages` returns: the penalised batch to make them of, the rest of the state, the
   * coefficient, what is logged.
   */
  take(
    batch: TrainingBatch,
    state: JsonObject,
  ): {
    readonly batch: TrainingBatch;
    readonly state: JsonObject;
    readonly klCoefficient?: number;
    readonly metrics: { readonly [name: string]: number };
  };
  /** To be part of the loss's terms. */
  terms(ops: LossOperations, inputs: LossInputs): { readonly [name: string]: LossExpression };
}

/** What the members of a group are compared by. */
export interface GroupComparison {
  /**
   * `turn`: each turn with the turns of its number, by what is earned from it on, among the members that got so far.
   */
  readonly level: 'episode' | 'turn';
  /** What a reward is worth one turn earlier; read at the level of turns. */
  readonly turnDiscount: number;
}

/** Whether groups whose episodes say nothing are left out of a batch. */
export interface FlatGroupOptions extends Pick<KlOptions, 'klCoefficient' | 'klIn'> {
  readonly dropFlatGroups: boolean;
  /** Rounds of further tasks in their place. */
  readonly refillRounds: number;
}

/** An episode, or one of its turns, as it is compared. */
export interface GroupMember {
  readonly row: number;
  readonly value: number;
  /** Indices of its sampled tokens. */
  readonly tokens: readonly number[];
}

/** How the distance of a group's members from their mean is scaled. */
export interface GroupNormalization extends GroupComparison {
  /**
   * The distance from the mean of those compared is divided by their deviation, by that of the whole batch, or by
   * nothing.
   */
  readonly scaling: 'group' | 'batch' | 'none';
  /** Added to the deviation. */
  readonly deviationEpsilon: number;
  /** Members whose deviation is not above this say nothing: advantages 0. */
  readonly noSignalBelow: number;
}

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
  /** The same, turn by turn. */
  turnTokens(batch: TrainingBatch, row: number): readonly (readonly number[])[];
  /** [rows] undiscounted sum of the rewards on sampled tokens. */
  episodeReturns(batch: TrainingBatch): Float64Array;
  /** Rows of each group, in order of first appearance. */
  groupRows(batch: TrainingBatch): readonly (readonly number[])[];
  /** [rows, width] `perRow[row]` on every sampled token, 0 elsewhere. */
  spreadOverTokens(batch: TrainingBatch, perRow: Float64Array): Float64Array;
  /**
   * [rows, width] weights such that the sum of weight * loss is the aggregate. 0 outside sampled tokens. Rows without a
   * sampled token are no sequences, as in verl, unless `countEmpty` makes each a 0 in means over sequences, as in TRL.
   */
  aggregationWeights(
    batch: TrainingBatch,
    aggregation: LossAggregation,
    constantLength?: number,
    countEmpty?: boolean,
  ): Float64Array;
  /**
   * Mean and standard deviation (n - 1; 0 for fewer than two). A deviation at or below `noSignalBelow` is 0: sums that
   * are equal on paper differ in their last bits, and dividing by that would make a signal out of rounding.
   */
  meanAndDeviation(
    values: readonly number[],
    noSignalBelow?: number,
  ): { readonly mean: number; readonly deviation: number };
  /** Per-token KL estimate between the live policy and the reference, as a differentiable expression. */
  klExpression(ops: LossOperations, inputs: LossInputs, estimator: KlEstimator): LossExpression;
  /**
   * [rows, width] discounted sum of the rewards from each sampled token on; with `bootstrap`, of truncated episodes'
   * values after the cut too.
   */
  returnsToGo(batch: TrainingBatch, discounts: Discounts, bootstrap?: boolean): Float64Array;
  /**
   * Generalised advantage estimation over sampled tokens or turns, as if nothing stood between them. Reads `values`.
   */
  generalizedAdvantages(batch: TrainingBatch, options: GeneralizedAdvantageOptions): AdvantageEstimate;
  /** [rows, width] (x - mean) / sqrt(variance + epsilon) over all sampled tokens of the batch; 0 elsewhere. */
  whitenTokens(batch: TrainingBatch, values: Float64Array, options?: WhiteningOptions): Float64Array;
  /** The same with every turn counted once, by what its last token has; its tokens share the result. */
  whitenTurns(batch: TrainingBatch, values: Float64Array, options?: WhiteningOptions): Float64Array;
  /**
   * Each value less the mean of the others, and one alone as it is; all 0 where their deviation is not above
   * `noSignalBelow`.
   */
  leaveOneOut(values: readonly number[], noSignalBelow?: number): readonly number[];
  /**
   * What is compared with each other: the members of each group or, at the level of turns, of each group and number of
   * a turn.
   */
  groupMembers(batch: TrainingBatch, comparison: GroupComparison): readonly (readonly GroupMember[])[];
  /**
   * The values that `groupMembers` will compare, before there is a batch: for `select`.
   *
   * @param charge what is taken from an episode's last reward
   */
  comparedValues(
    group: readonly CompletedEpisode[],
    comparison: GroupComparison,
    charge?: (episode: CompletedEpisode) => number,
  ): readonly (readonly number[])[];
  /** [rows, width] (value - mean) / (deviation + epsilon) of those compared, on their sampled tokens; 0 elsewhere. */
  groupNormalized(batch: TrainingBatch, options: GroupNormalization): Float64Array;
  /**
   * Whether groups without signal are left out: where that is asked for; but where tokens pay for their divergence, no
   * group is without.
   */
  dropsFlatGroups(options: FlatGroupOptions): boolean;
  /** Keeps a policy near its reference, fixed or adaptive, in the reward or in the loss. */
  klControl(options: KlOptions): KlControl;
  /**
   * PPO's clipped surrogate (Schulman et al. 2017, equation 7) with two bounds, and the bounds that others added to it.
   */
  clippedObjective(ops: LossOperations, inputs: LossInputs, options: ClipOptions): ClippedObjective;
}
