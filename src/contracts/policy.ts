import type { TrainingBatch } from './batch.js';
import type { CreditTools } from './credit.js';
import type { Awaitable } from './environment.js';
import type { OutsideFiles } from './files.js';
import type { FunctionCallSyntax } from './function-calls.js';
import type { Host } from './host.js';
import type { Json, JsonObject } from './json.js';
import type { LiveName, Loss, NamedLoss } from './loss.js';

/** How tokens are drawn. */
export interface Sampling {
  /**
   * 0: the token with the highest logit (the lowest id on a tie); log probabilities are then those at temperature 1.
   */
  readonly temperature: number;
  /** 1 keeps every token. */
  readonly topP: number;
  /** 0 keeps every token. */
  readonly topK: number;
  /**
   * Sample from the very weights that training changes, even if the policy samples training episodes from a rounded copy
   * of them. Evaluations do. Default: false.
   */
  readonly exact?: boolean;
}

/** A request to continue one token sequence until an end token or a cap. */
export interface GenerateRequest {
  /** The sequence so far, never empty. */
  readonly tokens: readonly number[];
  /**
   * Names the sequence across calls. A later request with the same name, whose tokens start with all tokens given and
   * sampled before, may reuse the model's cache. Reuse changes only the speed.
   */
  readonly sequence: string;
  /** Ids that end the action; the sampled end id is part of the answer. */
  readonly endIds: readonly number[];
  readonly maxTokens: number;
  /**
   * [maxTokens] uniform numbers in (0, 1], one for each token that may be drawn. They are the only source of
   * randomness.
   */
  readonly draws: Float64Array;
  /**
   * How its tokens are drawn, instead of the way of the call; `exact` is always that of the call. Only for a model that
   * promises it (`SamplerPromises.mixed`).
   */
  readonly sampling?: Sampling;
}

/** The answer to one request. */
export interface GeneratedTokens {
  /** Sampled ids; the end token is last if one was sampled. */
  readonly tokens: readonly number[];
  /**
   * log-softmax(logits / temperature) over the whole vocabulary, per sampled token; at temperature 0,
   * log-softmax(logits).
   */
  readonly logprobs: readonly number[];
  /** True if an end token was sampled; false if `maxTokens` came first. */
  readonly ended: boolean;
}

/**
 * Converts text to ids and back. Text of environments and users is encoded without special tokens, so it cannot forge
 * markers. The ids of an episode are `begin`, then per turn an action with its end token and `append`, unless earlier
 * actions look different (`earlierActions`); demonstrations use the same functions.
 */
export interface ConversationEncoder {
  /**
   * The ids before the first action. `system` may be empty.
   *
   * @param describesFunctions whether `system` has a text of `functionCalls.describe`, with control tokens of the
   * template. False: whoever wrote `system` cannot repeat such a text to get them. Default: true.
   */
  begin(system: string, observation: string, describesFunctions?: boolean): readonly number[];
  /** The ids after an action's end token: the observation, up to the start of the next action. */
  append(observation: string): readonly number[];
  /**
   * The ids after the end token of a function call: its answer in the chat template's own role for answers (`tool`), up
   * to the start of the next action. Absent: the template has no such role, and answers are observations like others.
   */
  appendAnswer?(answer: string): readonly number[];
  /**
   * The ids of an action as the policy would sample it, without its end token.
   *
   * @param content the length of a text at its start that somebody else wrote as the policy's: only marks of thoughts are
   * control tokens in it, and no call is. Default: 0
   */
  encodeAction(text: string, content?: number): readonly number[];
  /**
   * The ids of a text that is no part of a conversation. Absent: there are none but those of `encodeAction`.
   *
   * @param how `addSpecial`: with the control tokens that the tokenizer puts around a text, such as a first token;
   * `parseSpecial`: spellings of control tokens in the text become these tokens, so only for texts that may forge them
   */
  encodeText?(text: string, how: { readonly addSpecial: boolean; readonly parseSpecial: boolean }): readonly number[];
  /** Ids that end an action; the first is appended to a cut action. */
  readonly endIds: readonly number[];
  /**
   * How the chat template shows an action once another observation follows. Absent: as it was when it was sampled, so that
   * the ids of an episode only grow.
   */
  readonly earlierActions?: {
    /** Number of ids at the end of `begin` and `append` that the template writes before the last action only. */
    readonly promptIds: number;
    /** What remains of the ids of an action with its end token: a tail of them. */
    shown(action: readonly number[]): readonly number[];
  };
  /** The text of sampled ids, without end ids. */
  decode(ids: readonly number[]): string;
  /**
   * How the model writes function calls. Absent: its chat template has none, or none as JSON. With it, `begin` and
   * `encodeAction` write the control tokens of the syntax as the model does.
   */
  readonly functionCalls?: FunctionCallSyntax;
  /**
   * The text of one id, to show to people; never empty. Control tokens are spelled out, and bytes that are not a
   * character alone are written `\xE2`.
   */
  piece(id: number): string;
}

/** What a policy model can do; agentgym checks a recipe against it before a run. */
export interface PolicyCapabilities {
  /** Live quantities through which its losses may differentiate. */
  readonly live: readonly LiveName[];
  /** Loss operations that it cannot evaluate; empty for an engine of general losses. */
  readonly missingOperations: readonly string[];
  /**
   * Names of the losses that it can compute, if it computes no others: each term of a loss must be one of them. Absent:
   * it computes losses from their expressions.
   */
  readonly losses?: readonly NamedLoss['name'][];
  /** It can hold a frozen copy of itself. */
  readonly freeze: boolean;
  readonly optimizers: readonly string[];
  /**
   * `forwardBackward` and `optimizerStep` may be called before earlier calls have answered; the model makes them in the
   * order of the calls. A server then never waits for the trainer. Default: false.
   */
  readonly ahead?: boolean;
  /** Longest token sequence it can hold. */
  readonly maxTokens: number;
  /** Number of its token ids; a sampler may give no others. Absent: unknown. */
  readonly vocabularySize?: number;
  /**
   * The only temperature at which it computes log probabilities of batches; it samples at any. Training episodes must then
   * be sampled at this temperature. Absent: any.
   */
  readonly temperature?: number;
  /** Whether a step may clip the gradient by its norm (`OptimizerStep.clipNorm`). Default: true. */
  readonly clipsGradients?: boolean;
  readonly sampler: SamplerPromises;
  /** What it promises where `Sampling.exact` is asked for. Absent: the same. */
  readonly exactSampler?: SamplerPromises;
}

/** What a policy model promises about its sampler. Features that need a missing promise are not available. */
export interface SamplerPromises {
  /**
   * The answer to a request does not depend on other requests in the call, the order of calls, or released sequences.
   * With this promise an episode may continue as soon as its environment has answered.
   */
  readonly independent: boolean;
  /** The request's `draws` choose the tokens; without this promise no run can be repeated. */
  readonly draws: boolean;
  /** Its log probabilities equal the learner's to 1e-4; without this promise algorithms need `recomputeLogprobs`. */
  readonly exact: boolean;
  /**
   * `generate` may be called for other sequences before it has answered. With this promise and `independent`, a part of
   * the episodes is answered while another part plays. Absent: no.
   */
  readonly concurrent?: boolean;
  /**
   * Requests of one call may be sampled in different ways (`GenerateRequest.sampling`), and share the work nevertheless.
   * Absent: no.
   */
  readonly mixed?: boolean;
  /**
   * It batches by itself what it is asked at the same time, as servers with continuous batching do. Under free collection
   * every episode is then a call of its own, which begins as soon as its environment has answered. Without `draws` too,
   * free collection is the default: no order of calls could be repeated exactly. Absent: no.
   */
  readonly continuous?: boolean;
}

/** Results of a pass over a batch, besides the gradient. */
export interface ForwardBackwardResult {
  /** [rows, width] live log probabilities; 0 where the mask is 0. */
  readonly logprobs: Float64Array;
  /** [rows, width] entropy in nats, 0 where the mask is 0. Absent if the model cannot tell. */
  readonly entropy?: Float64Array;
  /** [rows, width] if there is a value head. */
  readonly values?: Float64Array;
  /** Each term's sum over sampled tokens of weight * term. */
  readonly terms: { readonly [name: string]: number };
  /** Each metric's sum over sampled tokens, unweighted. */
  readonly metrics: { readonly [name: string]: number };
}

/** Settings of one step; schedules change them from step to step. */
export interface OptimizerStep {
  readonly learningRate: number;
  /** Global L2 norm to which the accumulated gradient is clipped; absent: no clipping. */
  readonly clipNorm?: number;
}

/** The result of a step. */
export interface OptimizerStepResult {
  /** Global L2 norm before clipping; NaN if the model cannot tell. */
  readonly gradientNorm: number;
  /** False if the gradient was not finite: it is cleared and not applied. */
  readonly applied: boolean;
}

/** A frozen copy of a policy model; it only computes log probabilities. */
export interface ReferenceModel {
  logprobs(batch: TrainingBatch): Promise<Float64Array>;
  dispose(): Promise<void>;
}

/**
 * A model that acts and learns. The interface follows the Tinker protocol (thinkingmachines.ai), so that one loop can
 * drive an in-process engine or a cluster. Padding, packing, micro-batches, threads and caches are internal and do not
 * change results. A model whose server is down rejects with an error whose `code` is `UNAVAILABLE`; the run then ends, and
 * can be resumed.
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
  /**
   * How `openEncoder` of the policy's module opens an equal encoder in another thread. Absent: it cannot, so long texts are
   * encoded in the main thread.
   */
  readonly encoderSource?: EncoderSource;
  /** Rises by one with each applied optimizer step; every sampled turn records it. */
  readonly policyVersion: number;
  /** Continues every sequence, with the promises of `capabilities.sampler`. */
  generate(requests: readonly GenerateRequest[], sampling: Sampling, signal?: AbortSignal): Promise<GeneratedTokens[]>;
  /** Releases the caches of these sequences. */
  release(sequences: readonly string[]): void;
  /** Adds to the gradient buffers; may be called many times before an optimizer step. */
  forwardBackward(batch: TrainingBatch, loss: Loss): Promise<ForwardBackwardResult>;
  /** Clips, applies and clears the accumulated gradient. */
  optimizerStep(step: OptimizerStep): Promise<OptimizerStepResult>;
  /** Discards gradients and the optimizer's moments: a new stage starts with a fresh optimizer. */
  resetOptimizer(settings: OptimizerSettings): Promise<void>;
  /** [rows, width] log probabilities at `batch.temperature`; does not change gradients. */
  logprobs(batch: TrainingBatch): Promise<Float64Array>;
  /** [rows, width] values of the value head. */
  values?(batch: TrainingBatch): Promise<Float64Array>;
  freeze(): Promise<ReferenceModel>;
  /**
   * Number of floating-point operations since the last call of this function, including those of frozen copies. A
   * multiplication with its addition counts as two, padding as none, a backward pass as two forward passes (Kaplan et
   * al. 2020, arXiv 2001.08361, section 2.1). Sampling counts every token of a named sequence once, as if sequences
   * shared nothing and nothing were released early. So the number depends only on the requests, not on calls or caches.
   * Absent if the model does not count.
   */
  takeOperations?(): number;
  /**
   * Counts an answer that was sampled elsewhere with these weights as if `generate` had given it. Absent: with a sampler
   * elsewhere nothing is counted.
   */
  countSampled?(request: GenerateRequest, answer: GeneratedTokens): void;
  /**
   * How many floating-point operations a second its devices reach in large products of matrices, all together. Measured
   * here, so it takes a moment. Metrics compare training with it. Absent if the model cannot tell.
   */
  peakOperations?(): Promise<number>;
  /**
   * The memory in bytes, by purpose, by which training of this load will raise what the process holds now. The model
   * computes one micro-batch of the largest shape, forward and backward, and measures what that takes; the rest is counted,
   * as in `PolicyEstimate.bytes`. It leaves everything as it is: weights, gradients, moments, compiled programs, caches of
   * sequences, random streams and counts of operations. agentgym calls it before the first step of a run and records the
   * result. Absent: only the estimate is known.
   */
  measureMemory?(load: PolicyLoad): Promise<{ readonly [part: string]: number }>;
  /**
   * Writes weights, tokenizer and the data that `load` needs to continue training exactly, into an existing empty
   * folder.
   */
  save(directory: string): Promise<void>;
  /** Reads weights, moments and version from a folder that `save` wrote. */
  load(directory: string): Promise<void>;
  /**
   * Opens the adapter of a folder over this model's weights, which are not copied and cannot change while it is open.
   * Dispose of it before the model. Absent: adapters cannot share these weights.
   *
   * @param availableBytes memory that it may take. Throws if it needs more.
   */
  openAdapter?(folder: string, availableBytes: number): Promise<SamplingModel>;
  /** Data for the run's manifest: engine, threads, parameters ... */
  describe(): JsonObject;
  dispose(): Promise<void>;
}

/** Where an equal encoder can be opened. */
export interface EncoderSource {
  readonly folder: string;
  readonly settings: FolderEncoderSettings;
  /**
   * The policy made the tokenizer itself, so that every text takes time in proportion to its length. Absent: it may have
   * regular expressions of others, which may take exponential time.
   */
  readonly isOwn?: boolean;
}

/** The part of a model that only samples. */
export type SamplingModel = Pick<
  PolicyModel,
  'capabilities' | 'encoder' | 'encoderSource' | 'generate' | 'release' | 'dispose'
>;

/** The optimizer and its constants. */
export interface OptimizerSettings {
  readonly name: string;
  readonly options: { readonly [name: string]: Json };
}

/** The arguments of creating a policy. */
export interface PolicyContext {
  /** Text for the tokenizer of a model from scratch: whole conversations of demonstrations on the training split. */
  corpus(): AsyncIterable<string>;
  /** One of the contribution's presets, built from scratch; absent if `from` is given. */
  readonly preset?: string;
  /** A folder with weights to start from (a checkpoint, or a Hugging Face folder), instead of a preset. */
  readonly from?: string;
  /** The algorithm needs a critic on the policy's trunk. */
  readonly valueHead: boolean;
  /** Whether nothing will train the model, which may then be prepared for sampling at more expense. Default: false. */
  readonly samplesOnly?: boolean;
  /** The longest episode in tokens; absent if unknown. */
  readonly maxTokens?: number;
  /** The folder of a model that was pulled from a hub, by its name ORG/NAME; undefined if it was not pulled. */
  readonly findModel?: (name: string) => string | undefined;
  /** The only model that an adapter in `from` may name as its base. Absent: any folder, and any model that was pulled. */
  readonly base?: string;
  /** The host's `cacheDirectory`, for estimates, which have no host. */
  readonly cacheDirectory?: string;
}

/** Facts about a model before it is created. */
export interface PolicyEstimate {
  /** Number of trainable parameters; for a model from scratch, with the longest likely vocabulary. */
  readonly parameters: number;
  /** Number of parameters that training leaves as they are, such as those below an adapter. Default: none. */
  readonly frozenParameters?: number;
  /** The capabilities that the model will have. */
  readonly capabilities: PolicyCapabilities;
  /**
   * Memory in bytes that the process needs for the model at most, by purpose: `weights`, `optimizer` ... The parts add up.
   * Every batch and episode counts as if it were as large as the load and `PolicyContext.maxTokens` allow. agentgym refuses
   * a recipe if the machine does not have it.
   */
  readonly bytes: { readonly [part: string]: number };
  /** Options that lower the memory, and smaller values to try, largest first. Default: none. */
  readonly smaller?: { readonly [option: string]: readonly number[] };
  /**
   * The encoder that the model will have, with which a check counts the tokens of demonstrations. Absent: it is not known
   * before the model is created.
   */
  readonly encoder?: ConversationEncoder;
}

/** What a recipe asks of a model at most. */
export interface PolicyLoad {
  /** Number of episodes played at the same time; 0: the model never samples. */
  readonly sequences: number;
  /** Turns of the longest episode that is played. */
  readonly turns: number;
  /** Turns of the longest episode that is trained on. */
  readonly trainedTurns: number;
  /** Most tokens of an action. */
  readonly actionTokens: number;
  /** Rows of the largest batch between two optimizer steps. */
  readonly rows: number;
  /** Whether it computes log probabilities or values of batches without a gradient. */
  readonly evaluates: boolean;
  /** Number of frozen copies. */
  readonly references: number;
  /** The ways in which it samples. */
  readonly samplings: readonly Sampling[];
  readonly optimizers: readonly OptimizerSettings[];
}

/** How `exportFolder` writes a model. */
export interface ExportSettings {
  /** Type of the stored weights; numbers are rounded to the nearest, ties to even. */
  readonly dtype: 'float32' | 'bfloat16' | 'float16';
  /** Whether an adapter is added to its base, so that the folder has a whole model. */
  readonly merge: boolean;
  /** The name by which an adapter's folder names its base, from the folder of the base. Absent: it names the folder. */
  readonly nameBase?: (folder: string) => Awaitable<BaseName>;
  /** How the policy sampled; the folder tells other programs to sample alike. */
  readonly sampling: Sampling;
  /** Most tokens of an action. */
  readonly maxActionTokens: number;
  /** Ends the export when it is aborted, with its reason as the error. */
  readonly signal: AbortSignal;
}

/** How `exportGguf` writes a model. */
export interface GgufSettings extends Pick<ExportSettings, 'sampling' | 'signal'> {
  /** Type of the matrices; `q8_0` is 8 bits with a scale for 32 numbers. */
  readonly dtype: ExportSettings['dtype'] | 'q8_0';
  /** Whether an adapter is added to its base. A file always has a whole model. */
  readonly merge: boolean;
  /** The name of the model in the file. */
  readonly name: string;
}

/** The base of an adapter. */
export interface BaseName {
  /** ORG/NAME on a hub, or a folder. */
  readonly name: string;
  /** The commit on the hub. Absent: the hub's default. */
  readonly revision?: string;
}

/** Facts about an exported model. */
export interface ExportedModel {
  /** The name by which other programs know it, such as `Qwen3ForCausalLM`. */
  readonly architecture: string;
  readonly parameters: number;
  /** The base that the folder of an adapter names. Absent: the folder has a whole model. */
  readonly base?: BaseName;
}

/** How the encoder of a Hugging Face folder reads its chat template. */
export interface FolderEncoderSettings {
  /**
   * What happens to blocks of thinking in earlier actions: `template`: what the chat template does, which must not change them;
   * `keep`: they stay as they were sampled; `drop`: those of earlier turns are dropped, as in the template (`earlierActions`);
   * `off`: the template asks for none. Default: `template`.
   */
  readonly thinking?: 'template' | 'keep' | 'drop' | 'off';
  /** Where the opening policy may keep what it found out about the folder: its `cacheDirectory`. agentgym sets it. */
  readonly cacheDirectory?: string;
}

/** The host of a policy. It also carries the functions that evaluate losses. */
export interface PolicyHost extends Host {
  readonly credit: CreditTools;
  /**
   * The encoder of a Hugging Face folder, for a policy whose weights are elsewhere: the folder needs only the files of the
   * tokenizer and a chat template. Rejects if it lacks them, or if no installed policy opens such folders.
   */
  openEncoder(folder: string, settings?: FolderEncoderSettings): Promise<ConversationEncoder>;
}

/** The exports of the module of a policy contribution. */
export interface PolicyModule<Options> {
  readonly create: (options: Options, host: PolicyHost, context: PolicyContext) => Awaitable<PolicyModel>;
  /** The encoder of a Hugging Face folder without weights. Present if the contribution says `opensEncoders`. */
  readonly openEncoder?: (
    folder: string,
    settings: FolderEncoderSettings | undefined,
    files: OutsideFiles,
  ) => Awaitable<ConversationEncoder>;
  /**
   * Writes the model of a GGUF file as a folder from which `create` starts, into an existing empty folder. Throws with the
   * reason if the file is damaged or has what the policy cannot compute. Absent: it starts from no such files.
   */
  readonly importGguf?: (file: string, directory: string, files: OutsideFiles) => Awaitable<void>;
  /**
   * Estimates the model that `create` would make, within a second and without creating it; agentgym checks a recipe
   * against it before a run. Throws if `create` would throw. Absent: there is no such check.
   */
  readonly estimate?: (
    options: Options,
    context: Omit<PolicyContext, 'corpus'>,
    load: PolicyLoad,
    files: OutsideFiles,
  ) => Awaitable<PolicyEstimate>;
  /**
   * Writes the model of a folder that `save` wrote as a Hugging Face folder, into an existing empty folder. It needs no
   * other file, and no agentgym. Absent: its runs cannot be exported.
   */
  readonly exportFolder?: (
    options: Options,
    checkpoint: string,
    directory: string,
    settings: ExportSettings,
    files: OutsideFiles,
  ) => Awaitable<ExportedModel>;
  /**
   * Writes the model of a folder that `save` wrote as one GGUF file, which llama.cpp opens. Throws with the reason, before it
   * writes, if llama.cpp cannot compute the model or cannot encode texts as it does. Absent: it writes no such files.
   */
  readonly exportGguf?: (
    options: Options,
    checkpoint: string,
    file: string,
    settings: GgufSettings,
    files: OutsideFiles,
  ) => Awaitable<ExportedModel>;
}
