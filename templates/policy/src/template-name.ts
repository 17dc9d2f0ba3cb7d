import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type {
  CreditTools,
  ForwardBackwardResult,
  GeneratedTokens,
  GenerateRequest,
  JsonObject,
  Loss,
  OptimizerSettings,
  OptimizerStep,
  OptimizerStepResult,
  PolicyCapabilities,
  PolicyContext,
  PolicyHost,
  PolicyModel,
  ReferenceModel,
  Sampling,
  TrainingBatch,
} from '@agentgym/cli';

import { AdamW } from './adamw.js';
import { fromBase64, toBase64 } from './base64.js';
import { chooseToken } from './choose-token.js';
import { LinearModel, type LinearShape, type Prediction } from './linear-model.js';
import type { Options } from './options.js';
import { WordEncoder } from './word-encoder.js';

const FILE = 'linear-model.json';
const MAXIMUM_TOKENS = 100_000;

/** The content of a checkpoint. */
interface Saved {
  readonly formatVersion: 1;
  readonly policyVersion: number;
  readonly words: readonly string[];
  readonly shape: LinearShape;
  readonly weights: string;
  readonly optimizer: JsonObject;
}

/** A sampled token of a batch, and the model's prediction at its position. */
interface SampledToken {
  readonly index: number;
  readonly token: number;
  readonly rows: readonly number[];
  readonly prediction: Prediction;
}

/** Temperature 0 has the log probabilities of the unscaled logits. */
const effective = (temperature: number): number => (temperature === 0 ? 1 : temperature);

/**
 * A policy model whose answers depend only on weights and request. This file implements the contract; the model is in
 * `linear-model.ts`.
 */
class LinearPolicy implements PolicyModel {
  readonly #credit: CreditTools;
  #encoder: WordEncoder;
  #model: LinearModel;
  #gradient: Float64Array;
  #optimizer: AdamW;
  #version = 0;
  #operations = 0;

  constructor(credit: CreditTools, encoder: WordEncoder, model: LinearModel) {
    this.#credit = credit;
    this.#encoder = encoder;
    this.#model = model;
    this.#gradient = new Float64Array(model.weights.length);
    this.#optimizer = new AdamW({ name: 'adamw', options: {} }, model.weights.length);
  }

  get encoder(): WordEncoder {
    return this.#encoder;
  }

  get policyVersion(): number {
    return this.#version;
  }

  // Edit here if the model can do more or less.
  get capabilities(): PolicyCapabilities {
    return {
      live: this.#model.shape.valueHead ? ['logprob', 'entropy', 'value'] : ['logprob', 'entropy'],
      missingOperations: [],
      freeze: true,
      optimizers: ['adamw'],
      maxTokens: MAXIMUM_TOKENS,
      sampler: { independent: true, draws: true, exact: true },
    };
  }

  async generate(
    requests: readonly GenerateRequest[],
    sampling: Sampling,
    signal?: AbortSignal,
  ): Promise<GeneratedTokens[]> {
    const answers: GeneratedTokens[] = [];
    for (const request of requests) {
      signal?.throwIfAborted();
      answers.push(this.#goOn(request, sampling));
    }
    return Promise.resolve(answers);
  }

  /** The model keeps no memory of a sequence. */
  release(_sequences: readonly string[]): void {}

  async forwardBackward(batch: TrainingBatch, loss: Loss): Promise<ForwardBackwardResult> {
    const sampled = this.#sampledTokens(this.#model, batch, 3);
    const live = arraysOf(batch, sampled);
    const { terms, metrics, gradients } = this.#credit.evaluateLoss(batch, live, loss);
    for (const { index, token, rows, prediction } of sampled) {
      const by = {
        logprob: gradients.logprob[index] as number,
        entropy: gradients.entropy[index] as number,
        value: gradients.value[index] as number,
      };
      const at = { token, temperature: effective(batch.temperature) };
      this.#model.differentiate(this.#gradient, rows, prediction, at, by);
    }
    const { logprob: logprobs, entropy, value: values } = live;
    const result = { logprobs, entropy, ...(this.#model.shape.valueHead && { values }), terms, metrics };
    return Promise.resolve(result);
  }

  async optimizerStep({ learningRate, clipNorm }: OptimizerStep): Promise<OptimizerStepResult> {
    const gradientNorm = Math.sqrt(this.#gradient.reduce((sum, number) => sum + number * number, 0));
    const applied = Number.isFinite(gradientNorm);
    if (applied) {
      const scale = clipNorm !== undefined && gradientNorm > clipNorm ? clipNorm / gradientNorm : 1;
      this.#optimizer.apply(this.#model.weights, this.#gradient, scale, learningRate);
      this.#version += 1;
    }
    this.#gradient.fill(0);
    return Promise.resolve({ gradientNorm, applied });
  }

  async resetOptimizer(settings: OptimizerSettings): Promise<void> {
    this.#optimizer = new AdamW(settings, this.#model.weights.length);
    this.#gradient.fill(0);
    return Promise.resolve();
  }

  async logprobs(batch: TrainingBatch): Promise<Float64Array> {
    return Promise.resolve(arraysOf(batch, this.#sampledTokens(this.#model, batch, 1)).logprob);
  }

  async values(batch: TrainingBatch): Promise<Float64Array> {
    return Promise.resolve(arraysOf(batch, this.#sampledTokens(this.#model, batch, 1)).value);
  }

  async freeze(): Promise<ReferenceModel> {
    const frozen = this.#model.clone();
    return Promise.resolve({
      logprobs: async (batch: TrainingBatch) =>
        Promise.resolve(arraysOf(batch, this.#sampledTokens(frozen, batch, 1)).logprob),
      dispose: async () => Promise.resolve(),
    });
  }

  takeOperations(): number {
    const taken = this.#operations;
    this.#operations = 0;
    return taken;
  }

  async save(directory: string): Promise<void> {
    const saved: Saved = {
      formatVersion: 1,
      policyVersion: this.#version,
      words: this.#encoder.words,
      shape: this.#model.shape,
      weights: toBase64(this.#model.weights),
      optimizer: this.#optimizer.toJson(),
    };
    await writeFile(join(directory, FILE), JSON.stringify(saved));
  }

  /** @throws Error if the folder has no complete checkpoint; the model is then unchanged */
  async load(directory: string): Promise<void> {
    const { words, model, optimizer, policyVersion } = await readCheckpoint(directory);
    const grown = this.#model.shape.valueHead && !model.shape.valueHead;
    this.#encoder = new WordEncoder(words);
    this.#model = grown ? model.withValueHead() : model;
    this.#gradient = new Float64Array(this.#model.weights.length);
    // The moments of a model without a value head do not fit a model with one.
    this.#optimizer = grown ? new AdamW({ name: 'adamw', options: {} }, this.#model.weights.length) : optimizer;
    this.#version = policyVersion;
  }

  describe(): JsonObject {
    return { engine: 'linear-model', ...this.#model.shape, parameters: this.#model.weights.length };
  }

  async dispose(): Promise<void> {
    return Promise.resolve();
  }

  #goOn(request: GenerateRequest, sampling: Sampling): GeneratedTokens {
    const { tokens: prompt, maxTokens, draws, endIds } = request;
    if (prompt.length === 0) throw new RangeError('a request to generate has no tokens to go on from');
    if (prompt.length + maxTokens > MAXIMUM_TOKENS) throw new RangeError(`a sequence holds ${MAXIMUM_TOKENS} tokens`);
    const tokens = [...prompt];
    const logprobs: number[] = [];
    let ended = false;
    while (!ended && logprobs.length < maxTokens) {
      const rows = this.#model.rows(tokens, tokens.length);
      const prediction = this.#model.predict(rows, effective(sampling.temperature));
      const token = chooseToken(prediction.logprobs, sampling, draws[logprobs.length] as number);
      tokens.push(token);
      logprobs.push(prediction.logprobs[token] as number);
      ended = endIds.includes(token);
      this.#count(rows, 1);
    }
    return { tokens: tokens.slice(prompt.length), logprobs, ended };
  }

  /** @param passes number of passes over these tokens; a backward pass counts as two */
  #sampledTokens(model: LinearModel, batch: TrainingBatch, passes: number): readonly SampledToken[] {
    const sampled: SampledToken[] = [];
    for (let row = 0; row < batch.rows; row += 1) {
      const tokens = batch.tokens.subarray(row * batch.width, (row + 1) * batch.width);
      for (let t = 0; t < batch.width; t += 1) {
        const index = row * batch.width + t;
        if (batch.mask[index] !== 1) continue;
        const rows = model.rows(tokens, t);
        const prediction = model.predict(rows, effective(batch.temperature));
        sampled.push({ index, token: tokens[t] as number, rows, prediction });
        this.#count(rows, passes);
      }
    }
    return sampled;
  }

  /** Counts additions of rows, and five operations per logit for the softmax. */
  #count(rows: readonly number[], passes: number): void {
    this.#operations += (rows.length + 5) * this.#model.shape.vocabularySize * passes;
  }
}

/** [rows, width] each; 0 where nothing was sampled. */
function arraysOf(batch: TrainingBatch, sampled: readonly SampledToken[]) {
  const empty = (): Float64Array => new Float64Array(batch.rows * batch.width);
  const arrays = { logprob: empty(), entropy: empty(), value: empty() };
  for (const { index, token, prediction } of sampled) {
    arrays.logprob[index] = prediction.logprobs[token] as number;
    arrays.entropy[index] = prediction.entropy;
    arrays.value[index] = prediction.value;
  }
  return arrays;
}

async function readCheckpoint(directory: string) {
  const path = join(directory, FILE);
  try {
    const saved = JSON.parse(await readFile(path, 'utf8')) as Saved;
    const model = new LinearModel(saved.shape, fromBase64(saved.weights));
    if (model.weights.length !== new LinearModel(saved.shape).weights.length) throw new Error('weights are missing');
    return { ...saved, model, optimizer: AdamW.fromJson(saved.optimizer) };
  } catch (cause) {
    throw new Error(`${path} is not a checkpoint of a linear model, or only part of one`, { cause });
  }
}

export async function create(
  { window }: Options,
  { credit }: PolicyHost,
  context: PolicyContext,
): Promise<PolicyModel> {
  const { valueHead, from } = context;
  const encoder = from === undefined ? await WordEncoder.of(context.corpus()) : new WordEncoder([]);
  const shape = { vocabularySize: encoder.vocabularySize, window, valueHead };
  const policy = new LinearPolicy(credit, encoder, new LinearModel(shape));
  if (from !== undefined) await policy.load(from);
  return policy;
}
