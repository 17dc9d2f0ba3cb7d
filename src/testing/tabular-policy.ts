// A complete policy model in plain float64 arrays: one row of logits (and one value) per context, exact derivatives, no
// engine. Tests of training, laws and algorithms use it. Its answers depend only on weights and request, so every
// promise of the contract holds bit for bit.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { TrainingBatch } from '../contracts/batch.js';
import type { JsonObject } from '../contracts/json.js';
import type { Loss } from '../contracts/loss.js';
import type {
  ForwardBackwardResult,
  GeneratedTokens,
  GenerateRequest,
  OptimizerSettings,
  OptimizerStep,
  OptimizerStepResult,
  PolicyCapabilities,
  PolicyContext,
  PolicyModel,
  ReferenceModel,
  Sampling,
} from '../contracts/policy.js';
import { evaluateLoss } from '../credit/evaluate-loss.js';
import { logSoftmax, sampleToken } from './sample-token.js';
import { TabularEncoder, type PieceLevel } from './tabular-encoder.js';
import { TabularOptimizer } from './tabular-optimizer.js';
import { TabularRows } from './tabular-rows.js';

export interface TabularPolicyOptions {
  /** Texts with every word that the policy must know; or a finished encoder. */
  readonly texts?: Iterable<string>;
  readonly encoder?: TabularEncoder;
  /** Kind of token; default: `word`. */
  readonly level?: PieceLevel;
  /** Number of last tokens that define a context; absent: the whole prefix. */
  readonly contextLength?: number;
  readonly valueHead?: boolean;
  /** Standard deviation of the logits at the start; the default 0 gives the uniform policy. */
  readonly deviation?: number;
  readonly seed?: number;
  /** Maximum length of a sequence; default: 100,000. */
  readonly maxTokens?: number;
}

const file = 'tabular-policy.json';

/**
 * The policy model for tests. A context enters the table when a gradient first reaches it. Until then its logits come
 * from the seed, and weight decay does not change them.
 *
 * @example
 * ```ts
 * const policy = new TabularPolicy({ texts: ['heads', 'tails'], contextLength: 1 });
 * const prefix = policy.encoder.begin('', 'heads or tails?');
 * policy.probabilities(prefix); // Float64Array, one number per id, all equal
 * ```
 */
export class TabularPolicy implements PolicyModel {
  readonly #maxTokens: number;
  #encoder: TabularEncoder;
  #table: TabularRows;
  #optimizer = new TabularOptimizer({ name: 'adamw', options: {} });
  #gradients = new Map<string, Float64Array>();
  #version = 0;
  #operations = 0;

  constructor(options: TabularPolicyOptions) {
    const { texts = [], level = 'word', maxTokens = 100_000 } = options;
    const { encoder = TabularEncoder.fromTexts(level, texts) } = options;
    const { valueHead = false, contextLength = null, deviation = 0, seed = 0 } = options;
    this.#maxTokens = maxTokens;
    this.#encoder = encoder;
    const { vocabularySize } = encoder;
    this.#table = new TabularRows({ vocabularySize, valueHead, contextLength, deviation, seed });
  }

  /**
   * Creates the policy like a plugin's module: the vocabulary comes from the corpus, or everything from a folder that
   * `save` wrote.
   */
  static async fromContext(options: TabularPolicyOptions, context: PolicyContext): Promise<TabularPolicy> {
    const texts = [...(options.texts ?? [])];
    if (context.from === undefined) for await (const text of context.corpus()) texts.push(text);
    const policy = new TabularPolicy({ ...options, texts, valueHead: context.valueHead });
    if (context.from !== undefined) await policy.load(context.from);
    return policy;
  }

  get encoder(): TabularEncoder {
    return this.#encoder;
  }

  get policyVersion(): number {
    return this.#version;
  }

  get capabilities(): PolicyCapabilities {
    return {
      live: this.#table.options.valueHead ? ['logprob', 'entropy', 'value'] : ['logprob', 'entropy'],
      missingOperations: [],
      freeze: true,
      optimizers: ['adamw', 'sgd'],
      maxTokens: this.#maxTokens,
      vocabularySize: this.#encoder.vocabularySize,
      sampler: { independent: true, draws: true, exact: true, mixed: true },
    };
  }

  /** Probability of every id after this prefix, at temperature 1. */
  probabilities(prefix: readonly number[]): Float64Array {
    return logSoftmax(this.#logits(prefix), 1).map(Math.exp);
  }

  #logits(prefix: readonly number[]): Float64Array {
    return this.#table.logits(this.#table.contextOf(prefix, prefix.length));
  }

  /** Sets the policy for a test: one logit per id after this prefix. */
  setLogits(prefix: readonly number[], logits: readonly number[]): void {
    this.#table.row(this.#table.contextOf(prefix, prefix.length)).set(logits);
  }

  /** The gradient that `forwardBackward` accumulated for the logits after this prefix; zeros if none arrived. */
  accumulatedGradient(prefix: readonly number[]): Float64Array {
    const gradient = this.#gradients.get(this.#table.contextOf(prefix, prefix.length));
    return (gradient ?? new Float64Array(this.#table.width)).slice(0, this.#table.options.vocabularySize);
  }

  generate(requests: readonly GenerateRequest[], sampling: Sampling, signal?: AbortSignal): Promise<GeneratedTokens[]> {
    return settle(() => {
      signal?.throwIfAborted();
      return requests.map((request) => this.#continue(request, request.sampling ?? sampling));
    });
  }

  /** This policy keeps no cache of sequences. */
  release(_sequences: readonly string[]): void {}

  forwardBackward(batch: TrainingBatch, loss: Loss): Promise<ForwardBackwardResult> {
    return settle(() => {
      this.#count(sampledTokens(batch), 3);
      const { logprob, entropy, value } = forward(this.#table, batch);
      const live = this.#table.options.valueHead ? { logprob, entropy, value } : { logprob, entropy };
      const { terms, metrics, gradients } = evaluateLoss(batch, live, loss);
      eachSampled(this.#table, batch, (index, context, token) => {
        this.#addGradient(context, token, effectiveTemperature(batch), {
          byLogprob: gradients.logprob[index] as number,
          byEntropy: gradients.entropy[index] as number,
          byValue: gradients.value[index] as number,
          entropy: entropy[index] as number,
        });
      });
      return { logprobs: logprob, entropy, ...(live.value && { values: live.value }), terms, metrics };
    });
  }

  optimizerStep(step: OptimizerStep): Promise<OptimizerStepResult> {
    return settle(() => {
      let squares = 0;
      for (const gradient of this.#gradients.values()) for (const number of gradient) squares += number * number;
      const gradientNorm = Math.sqrt(squares);
      const applied = Number.isFinite(gradientNorm);
      if (applied) {
        const scale = step.clipNorm !== undefined && gradientNorm > step.clipNorm ? step.clipNorm / gradientNorm : 1;
        this.#optimizer.apply(this.#table, this.#gradients, scale, step.learningRate);
        this.#version += 1;
      }
      this.#gradients = new Map();
      return { gradientNorm, applied };
    });
  }

  resetOptimizer(settings: OptimizerSettings): Promise<void> {
    return settle(() => {
      this.#optimizer = new TabularOptimizer(settings);
      this.#gradients = new Map();
    });
  }

  logprobs(batch: TrainingBatch): Promise<Float64Array> {
    return settle(() => this.#read(this.#table, batch).logprob);
  }

  /** Zeros without a value head; `capabilities` tells whether there is one. */
  values(batch: TrainingBatch): Promise<Float64Array> {
    return settle(() => this.#read(this.#table, batch).value);
  }

  freeze(): Promise<ReferenceModel> {
    return settle(() => {
      const frozen = this.#table.clone();
      return {
        logprobs: (batch: TrainingBatch) => settle(() => this.#read(frozen, batch).logprob),
        dispose: () => Promise.resolve(),
      };
    });
  }

  /**
   * The forward pass of a token is a log-softmax of its row, five operations per logit: divide, shift, exponentiate,
   * add, shift again.
   */
  takeOperations(): number {
    const taken = this.#operations;
    this.#operations = 0;
    return taken;
  }

  countSampled(_request: GenerateRequest, { tokens }: GeneratedTokens): void {
    this.#count(tokens.length, 1);
  }

  async save(directory: string): Promise<void> {
    const parts = { encoder: this.#encoder, table: this.#table, optimizer: this.#optimizer };
    const state = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.toJson()]));
    const text = JSON.stringify({ formatVersion: 1, policyVersion: this.#version, ...state });
    await writeFile(join(directory, file), text);
  }

  /** @throws Error if the folder has no complete checkpoint of a tabular policy; the policy does not change then */
  async load(directory: string): Promise<void> {
    const path = join(directory, file);
    try {
      const state = JSON.parse(await readFile(path, 'utf8')) as { readonly [part: string]: JsonObject };
      const optimizer = TabularOptimizer.fromJson(state['optimizer']!);
      const saved = TabularRows.fromJson(state['table']!);
      this.#encoder = TabularEncoder.fromJson(state['encoder']!);
      this.#table = this.#table.options.valueHead ? saved.clone(true) : saved;
      this.#optimizer = optimizer;
      this.#version = Number(state['policyVersion']);
      this.#gradients = new Map();
    } catch (error) {
      throw new Error(`${path} is not a complete checkpoint of a tabular policy`, { cause: error });
    }
  }

  describe(): JsonObject {
    const { vocabularySize, contextLength, valueHead } = this.#table.options;
    return { engine: 'tabular', vocabularySize, contexts: this.#table.size, contextLength, valueHead };
  }

  dispose(): Promise<void> {
    return Promise.resolve();
  }

  #read(table: TabularRows, batch: TrainingBatch): ReturnType<typeof forward> {
    this.#count(sampledTokens(batch), 1);
    return forward(table, batch);
  }

  #count(tokens: number, passes: number): void {
    this.#operations += 5 * this.#table.options.vocabularySize * tokens * passes;
  }

  #continue(request: GenerateRequest, sampling: Sampling): GeneratedTokens {
    const { tokens, maxTokens, draws, endIds } = request;
    if (tokens.length === 0) throw new RangeError('a request has no tokens to continue');
    if (tokens.length + maxTokens > this.#maxTokens)
      throw new RangeError(`a sequence may exceed the ${this.#maxTokens} tokens that the policy can hold`);
    if (draws.length < maxTokens) throw new RangeError('a request has too few draws');
    const sequence = [...tokens];
    const logprobs: number[] = [];
    let ended = false;
    while (!ended && logprobs.length < maxTokens) {
      const { token, logprob } = sampleToken(this.#logits(sequence), sampling, draws[logprobs.length] as number);
      sequence.push(token);
      logprobs.push(logprob);
      ended = endIds.includes(token);
    }
    const answer = { tokens: sequence.slice(tokens.length), logprobs, ended };
    this.countSampled(request, answer);
    return answer;
  }

  /** d log p(token) / d logit = (1[id = token] - p) / T, and d entropy / d logit = -p (log p + entropy) / T. */
  #addGradient(
    context: string,
    token: number,
    temperature: number,
    of: { byLogprob: number; byEntropy: number; byValue: number; entropy: number },
  ): void {
    const { vocabularySize, valueHead } = this.#table.options;
    const gradient = this.#gradients.get(context) ?? new Float64Array(this.#table.width);
    this.#gradients.set(context, gradient);
    const logprobs = logSoftmax(this.#table.logits(context), temperature);
    for (let id = 0; id < vocabularySize; id += 1) {
      const logprob = logprobs[id] as number;
      const probability = Math.exp(logprob);
      const ofLogprob = (id === token ? 1 : 0) - probability;
      const ofEntropy = probability === 0 ? 0 : -probability * (logprob + of.entropy);
      (gradient[id] as number) += (of.byLogprob * ofLogprob + of.byEntropy * ofEntropy) / temperature;
    }
    if (valueHead) (gradient[vocabularySize] as number) += of.byValue;
  }
}

/** Computes immediately; an exception becomes a rejection. */
function settle<T>(compute: () => T): Promise<T> {
  return new Promise((resolve) => resolve(compute()));
}

function sampledTokens({ mask }: TrainingBatch): number {
  return mask.reduce((sum, sampled) => sum + sampled, 0);
}

/** At temperature 0 log probabilities are those of the logits themselves. */
function effectiveTemperature(batch: TrainingBatch): number {
  return batch.temperature === 0 ? 1 : batch.temperature;
}

/** [rows, width] each; 0 where the mask is 0. */
function forward(
  table: TabularRows,
  batch: TrainingBatch,
): { logprob: Float64Array; entropy: Float64Array; value: Float64Array } {
  const empty = (): Float64Array => new Float64Array(batch.rows * batch.width);
  const [logprob, entropy, value] = [empty(), empty(), empty()];
  eachSampled(table, batch, (index, context, token) => {
    const logprobs = logSoftmax(table.logits(context), effectiveTemperature(batch));
    logprob[index] = logprobs[token] as number;
    entropy[index] = -logprobs.reduce((sum, x) => sum + (x === -Infinity ? 0 : Math.exp(x) * x), 0);
    value[index] = table.value(context);
  });
  return { logprob, entropy, value };
}

/** Visits every sampled token with its context. */
function eachSampled(
  table: TabularRows,
  batch: TrainingBatch,
  visit: (index: number, context: string, token: number) => void,
): void {
  for (let row = 0; row < batch.rows; row += 1) {
    const tokens = batch.tokens.subarray(row * batch.width, (row + 1) * batch.width);
    for (let t = 0; t < batch.width; t += 1) {
      const index = row * batch.width + t;
      if (batch.mask[index] === 1) visit(index, table.contextOf(tokens, t), tokens[t] as number);
    }
  }
}
