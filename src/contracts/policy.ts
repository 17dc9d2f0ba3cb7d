import type { TrainingBatch } from './batch.js';
import type { Awaitable } from './environment.js';
import type { Host } from './host.js';
import type { Json, JsonObject } from './json.js';
import type { LiveName, Loss } from './loss.js';

/** How tokens are drawn. */
export interface Sampling {
  /** 0 is an argmax, the lowest id wins a tie; log probabilities are then those at temperature 1. */
  readonly temperature: number;
  /** 1 keeps every token. */
  readonly topP: number;
  /** 0 keeps every token. */
  readonly topK: number;
}

/** A request to continue one token sequence until an end token or a cap. */
export interface GenerateRequest {
  /** The sequence so far, never empty. */
  readonly tokens: readonly number[];
  /**
   * Names the sequence across calls: a later request with the same name whose tokens begin with all that was given and
   * sampled before may reuse what the model remembers of it. Reuse is never observable but in speed.
   */
  readonly sequence: string;
  /** Ids that end the action; the sampled one is part of the answer. */
  readonly endIds: readonly number[];
  readonly maxTokens: number;
  /** [maxTokens] uniform numbers in (0, 1], one for each token that may be drawn: all the randomness there is. */
  readonly draws: Float64Array;
}

/** The answer to one request. */
export interface GeneratedTokens {
  /** Sampled ids, the end token last if one was sampled. */
  readonly tokens: readonly number[];
  /**
   * log-softmax(logits / temperature) over the whole vocabulary, per sampled token; at temperature 0, of the logits
   * themselves.
   */
  readonly logprobs: readonly number[];
  /** An end token was sampled; false where `maxTokens` came first. */
  readonly ended: boolean;
}

/**
 * Text to ids and back. Environment and user text is encoded without special tokens, so that it can forge nothing. Ids
 * of an episode are
 * `begin`, then per turn an action with its end token and `append`; demonstrations are laid out by the same functions.
 */
export interface ConversationEncoder {
  /** Up to where the first action begins. `system` may be empty. */
  begin(system: string, observation: string): readonly number[];
  /** What follows an action's end token: the observation, up to where the next action begins. */
  append(observation: string): readonly number[];
  /** An action as it would be sampled, without its end token. */
  encodeAction(text: string): readonly number[];
  /** Ids that end an action; the first is appended where an action was cut. */
  readonly endIds: readonly number[];
  /** Text of sampled ids, end ids left out. */
  decode(ids: readonly number[]): string;
  /**
   * Text of one id alone, for people to look at; never empty. Control tokens are spelled, and bytes that are no
   * character by themselves are written `\xE2`.
   */
  piece(id: number): string;
}

/** What a policy model can do; a recipe is checked against it before anything runs. */
export interface PolicyCapabilities {
  /** Live quantities its losses may differentiate through. */
  readonly live: readonly LiveName[];
  /** Operations of losses it cannot evaluate; empty for an engine of general losses. */
  readonly missingOperations: readonly string[];
  /** It can hold a frozen copy of itself. */
  readonly freeze: boolean;
  readonly optimizers: readonly string[];
  /** Longest token sequence it can hold. */
  readonly maxTokens: number;
  readonly sampler: SamplerPromises;
}

/** What a policy model promises of its sampler. What it does not promise, runs with it cannot have. */
export interface SamplerPromises {
  /**
   * The answer to a request is the same whatever else is in the call, in whatever order calls come, and whatever was
   * forgotten in between. Episodes may then go on as soon as their environment has answered.
   */
  readonly independent: boolean;
  /** Tokens are chosen by the request's `draws`; otherwise no run is like another. */
  readonly draws: boolean;
  /** Its log probabilities are the learner's to 1e-4; otherwise algorithms need `recomputeLogprobs`. */
  readonly exact: boolean;
}

/** What a pass over a batch computed beside the gradient. */
export interface ForwardBackwardResult {
  /** [rows, width] live log probabilities, 0 where the mask is 0. */
  readonly logprobs: Float64Array;
  /** [rows, width] entropy in nats, 0 where the mask is 0. */
  readonly entropy: Float64Array;
  /** [rows, width], where there is a value head. */
  readonly values?: Float64Array;
  /** Each term's sum over sampled tokens of weight * term. */
  readonly terms: { readonly [name: string]: number };
  /** Each metric's sum over sampled tokens, unweighted. */
  readonly metrics: { readonly [name: string]: number };
}

/** Settings of one step, which schedules change from step to step. */
export interface OptimizerStep {
  readonly learningRate: number;
  /** Global L2 norm to which the accumulated gradient is clipped; absent: not clipped. */
  readonly clipNorm?: number;
}

/** What became of a step. */
export interface OptimizerStepResult {
  /** Global L2 norm before clipping. */
  readonly gradientNorm: number;
  /** False where the gradient was not finite: it is cleared, nothing is applied. */
  readonly applied: boolean;
}

/** A frozen copy of a policy model: log probabilities and nothing else. */
export interface ReferenceModel {
  logprobs(batch: TrainingBatch): Promise<Float64Array>;
  dispose(): Promise<void>;
}

/**
 * A model that acts and learns. The shape follows the Tinker protocol (thinkingmachines.ai) on purpose, so that one
 * loop drives an in-process engine and a cluster alike. Padding, packing, micro-batches, threads and caches are the
 * model's own business and never observable.
 *
 * @example
 * ```ts
 * // supervised-step.ts
 * import type { LossInputs, LossOperations, PolicyModel, TrainingBatch } from '@agentgym/cli';
 *
 * // One step on demonstrations; the batch's weights make a mean of the sum.
 * export async function supervisedStep(
 *   model: PolicyModel,
 *   batch: TrainingBatch,
 *   ops: LossOperations,
 *   { logprob }: LossInputs,
 * ): Promise<number | undefined> {
 *   const crossEntropy = ops.sub(ops.constant(0), logprob);
 *   const { terms } = await model.forwardBackward(batch, { terms: { crossEntropy } });
 *   const { applied, gradientNorm } = await model.optimizerStep({ learningRate: 1e-3, clipNorm: 1 });
 *   if (!applied) throw new Error(`the gradient has the norm ${gradientNorm}`);
 *   return terms['crossEntropy'];
 * }
 * ```
 */
export interface PolicyModel {
  readonly capabilities: PolicyCapabilities;
  readonly encoder: ConversationEncoder;
  /** Rises by one with each applied optimizer step; stamped on every sampled turn. */
  readonly policyVersion: number;
  /** Continues every sequence, as `capabilities.sampler` promises. */
  generate(requests: readonly GenerateRequest[], sampling: Sampling, signal?: AbortSignal): Promise<GeneratedTokens[]>;
  /** Forgets what it remembers of these sequences. */
  release(sequences: readonly string[]): void;
  /** Adds to the gradient buffers; may be called many times before an optimizer step. */
  forwardBackward(batch: TrainingBatch, loss: Loss): Promise<ForwardBackwardResult>;
  /** Clips, applies and clears the accumulated gradient. */
  optimizerStep(step: OptimizerStep): Promise<OptimizerStepResult>;
  /** Throws away gradients, and the optimizer's moments: a new stage starts with a fresh optimizer. */
  resetOptimizer(settings: OptimizerSettings): Promise<void>;
  /** [rows, width] log probabilities at `batch.temperature`; never touches gradients. */
  logprobs(batch: TrainingBatch): Promise<Float64Array>;
  /** [rows, width] values of the value head. */
  values?(batch: TrainingBatch): Promise<Float64Array>;
  freeze(): Promise<ReferenceModel>;
  /**
   * Floating-point operations that it has computed since this was last asked, its frozen copies' included: a
   * multiplication with its addition is two, padding is none, a backward pass is two forward passes (Kaplan et al.
   * 2020, arXiv 2001.08361, section 2.1). Sampling counts every token of a named sequence once, as if nothing were
   * shared between sequences and nothing forgotten before its release: a function of the requests, not of calls or
   * caches. Absent where the model cannot say.
   */
  takeOperations?(): number;
  /** Writes weights and tokenizer, and what `load` needs to go on training exactly, into an existing empty folder. */
  save(directory: string): Promise<void>;
  /** Takes weights, moments and version from a folder that `save` wrote. */
  load(directory: string): Promise<void>;
  /** What the run's manifest records: engine, threads, parameters ... */
  describe(): JsonObject;
  dispose(): Promise<void>;
}

/** Which optimizer, and its constants. */
export interface OptimizerSettings {
  readonly name: string;
  readonly options: { readonly [name: string]: Json };
}

/** What a policy is created from. */
export interface PolicyContext {
  /**
   * Text that a model from scratch builds its tokenizer of: whole conversations of demonstrations on the training
   * split.
   */
  corpus(): AsyncIterable<string>;
  /** One of the contribution's presets, built from scratch; absent where `from` is given. */
  readonly preset?: string;
  /** A folder with weights to start from (a checkpoint, or a Hugging Face folder), instead of a preset. */
  readonly from?: string;
  /** The algorithm wants a critic on the policy's trunk. */
  readonly valueHead: boolean;
  /** The longest episode that will be played, in tokens; absent where nobody knows. */
  readonly maxTokens?: number;
}

/** What a model would be, told without making it. */
export interface PolicyEstimate {
  /** Numbers that are learnt; of a model from scratch with the longest vocabulary that is likely. */
  readonly parameters: number;
  /** What the model will say that it can do. */
  readonly capabilities: PolicyCapabilities;
  /**
   * Memory that it takes whatever is played, by what it is for: `weights`, `optimizer` ... A recipe that cannot have it
   * is refused.
   */
  readonly bytes: { readonly [use: string]: number };
  /** Memory that it may take beside, at most: for batches, caches ... */
  readonly mostBeside: { readonly [use: string]: number };
}

/** How much is asked of a model at once. */
export interface PolicyLoad {
  /** Episodes that are played at the same time. */
  readonly sequences: number;
  /** Tokens of a long episode, roughly. */
  readonly tokens: number;
}

/** What the module of a policy contribution exports. */
export interface PolicyModule<Options> {
  readonly create: (options: Options, host: Host, context: PolicyContext) => Awaitable<PolicyModel>;
  /**
   * Tells what `create` would make, within a second and without making it: a recipe is checked against it before
   * anything is. Throws where `create` would. Absent where nobody can tell before: then nobody checks.
   */
  readonly estimate?: (
    options: Options,
    context: Omit<PolicyContext, 'corpus'>,
    load: PolicyLoad,
  ) => Awaitable<PolicyEstimate>;
}
