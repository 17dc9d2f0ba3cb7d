import type { TrainingBatch } from './batch.js';
import type { CreditTools } from './credit.js';
import type { Awaitable } from './environment.js';
import type { Host } from './host.js';
import type { Json, JsonObject } from './json.js';
import type { Loss, LossInputs, LossOperations } from './loss.js';
import type { OptionFinding } from './options.js';
import type { CompletedEpisode } from './trajectory.js';

/** An algorithm's host also carries what algorithms share. */
export interface AlgorithmHost extends Host {
  readonly credit: CreditTools;
}

/** A second model that the trainer must provide. */
export type AlgorithmRole = 'critic' | 'reference';

/** The keys of a recipe's `algorithm` that the loop itself reads, and that an algorithm may have a say in. */
export interface UpdateSettings {
  /** Episodes of one task sampled together. */
  readonly groupSize: number;
  /** Passes over a batch. */
  readonly epochs: number;
  /** Optimizer steps per pass. */
  readonly minibatches: number;
}

export interface Advantages {
  /** [rows, width]; 0 outside sampled tokens. */
  readonly advantages: Float64Array;
  /** [rows, width] targets of the critic. */
  readonly returns?: Float64Array;
  /** The algorithm's memory after this batch. */
  readonly state: JsonObject;
  /** Scalars for the log. */
  readonly metrics?: { readonly [name: string]: number };
}

/**
 * How advantages and loss are made. Its options are bound at creation; its only memory is `state`, JSON that lives in the checkpoint.
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
  readonly initialState: { readonly [key: string]: Json };
  /**
   * Which groups are worth training on; absent: all. Called before a batch is built, on the completed episodes of each group.
   */
  select?(groups: readonly (readonly CompletedEpisode[])[]): readonly boolean[];
  /** Credit for a whole batch; `batch.advantages` and `batch.weight` are not filled yet. */
  advantages(batch: TrainingBatch, state: JsonObject): Advantages;
  /** [rows, width] weights of a minibatch's tokens, normalised over that minibatch. */
  weights(minibatch: TrainingBatch): Float64Array;
  /** The loss, the same for every minibatch. */
  loss(ops: LossOperations, inputs: LossInputs): Loss;
}

/** What the module of an algorithm contribution exports. */
export interface AlgorithmModule<Options> {
  readonly create: (options: Options, host: AlgorithmHost) => Awaitable<Algorithm>;
  /** Complaints about options that do nothing or contradict each other, beside the update settings of the recipe. */
  readonly validate?: (options: Options, settings: UpdateSettings) => readonly OptionFinding[];
}
