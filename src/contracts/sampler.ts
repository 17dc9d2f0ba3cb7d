import type { Awaitable } from './environment.js';
import type { Host } from './host.js';
import type { JsonObject } from './json.js';
import type { BaseName, GeneratedTokens, GenerateRequest, Sampling, SamplerPromises } from './policy.js';

/** Weights of a policy in a folder, for a sampler. */
export interface PublishedWeights {
  /**
   * Absolute: a Hugging Face folder of a whole model, or of an adapter as PEFT writes it. It stays until other weights
   * are published or the sampler is disposed of.
   */
  readonly folder: string;
  /** The base that an adapter changes. Absent: the folder has a whole model. */
  readonly base?: BaseName;
}

/**
 * Samples the training episodes of a policy that learns elsewhere, such as a server with continuous batching. Before its
 * first request, and before the first one after each applied optimizer step, it gets the weights as a folder.
 *
 * Calls must end by themselves: a sampler sets its own deadlines and makes its own retries. An error with the `code`
 * `UNAVAILABLE` says that the server is down or cannot do what is asked. Any error ends the run, which can be resumed; no
 * error becomes a reward.
 *
 * @example
 * ```ts
 * // shared-sampler.ts
 * import type { PublishedWeights, TokenSampler } from '@agentgym/cli';
 *
 * // Samples with another process, which reads the weights from the folder that it is told.
 * export function create(): TokenSampler {
 *   let now: PublishedWeights | undefined;
 *   return {
 *     promises: { independent: false, draws: false, exact: false, concurrent: true },
 *     connect: () => Promise.resolve(),
 *     publish: (weights) => {
 *       now = weights;
 *       return Promise.resolve();
 *     },
 *     generate: () => Promise.reject(new Error(`nobody has read ${now?.folder ?? 'any weights'} yet`)),
 *     describe: () => ({ engine: 'shared' }),
 *   };
 * }
 * ```
 */
export interface TokenSampler {
  /** What is true of its answers. `exact: false` makes `algorithm.recomputeLogprobs` necessary. */
  readonly promises: SamplerPromises;
  /** Checks that the server is there and can take weights. Called once, before a run writes anything. */
  connect(signal: AbortSignal): Promise<void>;
  /** Hands weights over: requests after it are answered with them, and with no others. */
  publish(weights: PublishedWeights, signal: AbortSignal): Promise<void>;
  /**
   * Continues every sequence with the published weights, as `PolicyModel.generate` does. Its log probabilities are those
   * of the distribution that it draws from.
   */
  generate(
    requests: readonly GenerateRequest[],
    sampling: Sampling,
    signal: AbortSignal,
  ): Promise<readonly GeneratedTokens[]>;
  /** Facts for the run's manifest: the server, its engine. Never a secret. */
  describe(): JsonObject;
  /** Takes the weights from the server and frees its resources; safe to call twice. */
  dispose?(): Awaitable<void>;
}

/** The arguments of creating a sampler. */
export interface SamplerContext {
  /** Where its server is: `policy.sampler.address` of a recipe. Absent: the sampler knows itself, or refuses. */
  readonly address?: string;
  /** How training episodes are sampled. */
  readonly sampling: Sampling;
}

/** The exports of the module of a sampler contribution. Creating a sampler asks no server: `connect` does. */
export interface SamplerModule<Options> {
  readonly create: (options: Options, host: Host, context: SamplerContext) => Awaitable<TokenSampler>;
}
