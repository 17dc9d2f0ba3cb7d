import type { TrainingBatch } from './batch.js';
import type { CreditTools, FlatGroupOptions, KlOptions, LossAggregation } from './credit.js';
import type { Awaitable } from './environment.js';
import type { Host } from './host.js';
import type { Json, JsonObject } from './json.js';
import type { Loss, LossInputs, LossOperations } from './loss.js';
import type { OptionGroups } from './option-groups.js';
import type { OptionFinding } from './options.js';
import type { CompletedEpisode } from './trajectory.js';

/** An algorithm's host also carries what algorithms share. */
export interface AlgorithmHost extends Host {
  readonly credit: CreditTools;
}

/**
 * What an algorithm needs beside the episodes. `reference`: log probabilities of the policy that the stage began with.
 * `greedy`: the return of one episode of each task at temperature 0 (ReMax). A critic is asked for by `critic`.
 */
export type AlgorithmRole = 'reference' | 'greedy';

/** A critic: what it is, and how it learns. */
export interface CriticPlan {
  /**
   * `shared`: a value head on the policy's trunk, trained by the policy's steps. `own`: a second model that begins as a
   * copy of the policy.
   */
  readonly trunk: 'shared' | 'own';
  /** Peak of an own critic's learning rate, on the stage's schedule; null: the policy's. */
  readonly learningRate: number | null;
  /**
   * Steps at the beginning of a stage in which the critic's loss alone is trained. With an own trunk the policy stays
   * as it is; a shared one moves with the critic.
   */
  readonly warmup: number;
  /** What the critic minimises, of the live `value`; beside the policy's loss where the trunk is shared. */
  loss(ops: LossOperations, inputs: LossInputs): Loss;
}

/** The keys of a recipe's `algorithm` that the loop itself reads, and that an algorithm may have a say in. */
export interface UpdateSettings {
  /** Episodes of one task sampled together. */
  readonly groupSize: number;
  /** Passes over a batch. */
  readonly epochs: number;
  /** Optimizer steps per pass. */
  readonly minibatches: number;
  /**
   * The ratio's denominator: the trainer's own log probabilities before its first step, in the place of the sampler's.
   */
  readonly recomputeLogprobs: boolean;
  /**
   * Highest weight that corrects for the difference between sampler and trainer; read where log probabilities are
   * recomputed.
   */
  readonly importanceCap: number;
}

/**
 * A complaint of an algorithm about its options, or about a setting of the recipe's `algorithm` that they do not go
 * with.
 */
export interface AlgorithmFinding extends OptionFinding {
  /** The setting, where it is one; `path` is then empty. */
  readonly setting?: keyof UpdateSettings;
}

/** Complaints that algorithms have in common, for `validate`. */
export interface OptionChecks {
  /** `option` does nothing `beside` another setting. */
  idle(option: string, beside: string, hint: string): AlgorithmFinding;
  /** A group of one episode under an estimator that compares the members of a group. */
  groupOfOne(settings: UpdateSettings): readonly AlgorithmFinding[];
  /** Bounds of a ratio that is always 1: one epoch of one minibatch. Options that are null or false are not set. */
  clips(
    options: { readonly [name: string]: unknown },
    names: readonly string[],
    settings: UpdateSettings,
  ): readonly AlgorithmFinding[];
  /** The group `scaling`: what is divided by, where nothing is. */
  scaling(options: OptionGroups['scaling']): readonly AlgorithmFinding[];
  /** The group `comparison`: a discount of turns where whole episodes are compared. */
  comparison(options: OptionGroups['comparison']): readonly AlgorithmFinding[];
  /** The group `flatGroups`, beside what makes that no group is flat. */
  flatGroups(options: FlatGroupOptions): readonly AlgorithmFinding[];
  /**
   * The groups `importance` and `clip`: bounds of a ratio that is left out; and with `importance: none` several
   * optimizer steps on one batch, of which all but the first are off the policy that sampled it.
   */
  importance(
    options: OptionGroups['importance'] & OptionGroups['clip'],
    settings: UpdateSettings,
  ): readonly AlgorithmFinding[];
  /** The group `kl`; without `klIn` the divergence is a term of the loss. */
  kl(options: Omit<KlOptions, 'klIn'> & Partial<Pick<KlOptions, 'klIn'>>): readonly AlgorithmFinding[];
  /** The group `aggregation`. */
  aggregation(options: {
    readonly aggregation: LossAggregation;
    readonly constantLength: number | null;
    readonly countEmpty?: boolean;
  }): readonly AlgorithmFinding[];
}

/** What an algorithm makes of a batch's rewards. */
export interface Advantages {
  /** [rows, width]; 0 outside sampled tokens. */
  readonly advantages: Float64Array;
  /** [rows, width] targets of the critic. */
  readonly returns?: Float64Array;
  /** What the loss reads as `klCoefficient`, where it changes from batch to batch. */
  readonly klCoefficient?: number;
  /** The algorithm's memory after this batch. */
  readonly state: JsonObject;
  /** Scalars for the log. */
  readonly metrics?: { readonly [name: string]: number };
}

/**
 * How advantages and loss are made. Its options are bound at creation; its only memory is `state`, JSON that lives in
 * the checkpoint.
 *
 * @example
 * ```ts
 * // algorithm.ts
 * import type { Algorithm, AlgorithmHost } from '@agentgym/cli';
 *
 * // REINFORCE: every sampled token is credited with the return of its episode.
 * export function create(_options: object, { credit }: AlgorithmHost): Algorithm {
 *   return {
 *     roles: [],
 *     initialState: {},
 *     advantages: (batch, state) => ({ advantages: credit.spreadOverTokens(batch, credit.episodeReturns(batch)), state }),
 *     weights: (minibatch) => credit.aggregationWeights(minibatch, 'token-mean'),
 *     loss: (ops, { logprob, advantages }) => ({
 *       terms: { policy: ops.sub(ops.constant(0), ops.mul(advantages, logprob)) },
 *     }),
 *   };
 * }
 * ```
 */
export interface Algorithm {
  readonly roles: readonly AlgorithmRole[];
  /** Fills `values`, `bootstrapValue` and the live `value`; absent: no critic. */
  readonly critic?: CriticPlan;
  readonly initialState: { readonly [key: string]: Json };
  /**
   * What a reward is worth one turn, and one sampled token, earlier, in the returns it learns from; absent: neither
   * discounts.
   */
  readonly discount?: { readonly turn: number; readonly token: number };
  /**
   * What of a group's completed episodes is trained on, in units of rows that stand together; absent: the group as it
   * is. A group without a unit says nothing. Called before a batch is built.
   */
  select?(group: readonly CompletedEpisode[]): readonly (readonly CompletedEpisode[])[];
  /** Units are pairs, for `pairDifference`: no minibatch parts them. */
  readonly pairs?: boolean;
  /** What the conformance kit may hold it to, beyond what every algorithm keeps; absent: nothing. */
  readonly claims?: readonly AlgorithmClaim[];
  /**
   * Rounds of further tasks a step may play in the place of groups that say nothing (dynamic sampling: DAPO, arXiv
   * 2503.14476, section 3.2).
   */
  readonly refillRounds?: number;
  /** Credit for a whole batch; `batch.advantages` and `batch.weight` are not filled yet. */
  advantages(batch: TrainingBatch, state: JsonObject): Advantages;
  /** [rows, width] weights of a minibatch's tokens, normalised over that minibatch. */
  weights(minibatch: TrainingBatch): Float64Array;
  /** The loss, the same for every minibatch. */
  loss(ops: LossOperations, inputs: LossInputs): Loss;
}

/**
 * What an algorithm says of itself with these options; the conformance kit holds it to it. `unbiased`: where the policy
 * is still the sampler, the expected gradient of its loss is a positive multiple of that of the expected return,
 * undiscounted, whatever a critic says. `groups-apart`: the credit of a group does not depend on the other groups of
 * its batch.
 */
export type AlgorithmClaim = 'unbiased' | 'groups-apart';

/** What the module of an algorithm contribution exports. */
export interface AlgorithmModule<Options> {
  readonly create: (options: Options, host: AlgorithmHost) => Awaitable<Algorithm>;
  /** Complaints about options that do nothing or contradict each other, beside the update settings of the recipe. */
  readonly validate?: (options: Options, settings: UpdateSettings, checks: OptionChecks) => readonly AlgorithmFinding[];
}
