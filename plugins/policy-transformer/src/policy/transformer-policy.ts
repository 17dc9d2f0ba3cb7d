import type {
  ConversationEncoder,
  ForwardBackwardResult,
  GeneratedTokens,
  GenerateRequest,
  JsonObject,
  Loss,
  OptimizerSettings,
  OptimizerStep,
  OptimizerStepResult,
  PolicyCapabilities,
  PolicyModel,
  ReferenceModel,
  Sampling,
  TrainingBatch,
  OutsideFiles,
} from '@agentgym/cli';

import type { AdapterFolder } from '../checkpoint/adapter-config.js';
import type { ModelTexts } from '../checkpoint/model-folder.js';
import { batchOperations } from '../model/operation-count.js';
import { trainableShapes, type ParameterOptions } from '../model/parameters.js';
import { optimizerNames } from '../optimizers/create-optimizer.js';
import { dealUnits, takeRows, trainedUnits } from '../worker/batch-rows.js';
import type { SamplingWeights } from '../worker/create-generator.js';
import { DEFAULT_OPTIMIZER } from '../worker/engine-core.js';
import type { Engine } from '../worker/engine.js';
import { lossTraits } from '../worker/loss-key.js';
import { packRequests, unpackAnswers } from '../worker/packed-requests.js';
import { TokenHistories } from '../worker/token-histories.js';
import type { Accumulated, Evaluated } from '../worker/batch-trainer.js';
import { readCheckpoint, writeCheckpoint } from './checkpoint.js';
import { SamplingCount } from './sampling-count.js';
import { splitRequests } from './split-requests.js';
import { trainedTensor, writeMoments } from './trained-tensors.js';

export interface TransformerParts {
  readonly engine: Engine;
  readonly files: OutsideFiles;
  /** The model: everything in a Hugging Face folder except the weights. */
  readonly folder: ModelTexts;
  readonly encoder: ConversationEncoder;
  readonly encoderSource: PolicyModel['encoderSource'];
  readonly parts: ParameterOptions;
  /** The adapter that is trained, and the folder of its base. */
  readonly lora?: AdapterFolder | undefined;
  /** Longest sequence that the engine can hold. */
  readonly maxTokens: number;
  readonly samplingWeights: SamplingWeights;
  /** For `describe`, in addition to the fields known here. */
  readonly facts: JsonObject;
}

/** What every decoder of the package can do. */
export function capabilitiesOf(
  { valueHead }: ParameterOptions,
  maxTokens: number,
  samplingWeights: SamplingWeights,
): PolicyCapabilities {
  return {
    live: valueHead ? ['logprob', 'entropy', 'value'] : ['logprob', 'entropy'],
    missingOperations: [],
    freeze: true,
    optimizers: optimizerNames,
    maxTokens,
    sampler: { independent: true, draws: true, exact: samplingWeights === 'float32', concurrent: true },
  };
}

/**
 * A decoder whose cores sample and train. The first core holds the optimizer; after a step the others get its weights.
 */
export class TransformerPolicy implements PolicyModel {
  readonly capabilities: PolicyCapabilities;
  readonly encoder: ConversationEncoder;
  readonly encoderSource?: NonNullable<PolicyModel['encoderSource']>;
  readonly #parts: TransformerParts;
  readonly #engine: Engine;
  /** The core that remembers a sequence. */
  readonly #homes = new Map<string, number>();
  /** The tokens of sequences that the cores know. */
  readonly #histories = new TokenHistories();
  /** For each core, the sequences that it may forget. */
  readonly #released: readonly string[][];
  #version = 0;
  #optimizer = DEFAULT_OPTIMIZER;
  #frozen = 0;
  #operations = 0;
  #peak: Promise<number> | undefined;
  readonly #sampling: SamplingCount;
  #disposed = false;

  constructor(parts: TransformerParts) {
    this.#parts = parts;
    this.#engine = parts.engine;
    this.encoder = parts.encoder;
    if (parts.encoderSource) this.encoderSource = parts.encoderSource;
    this.#sampling = new SamplingCount(parts.folder.config, parts.parts);
    this.#released = Array.from({ length: parts.engine.cores }, () => []);
    const { vocabularySize } = parts.folder.config;
    this.capabilities = { ...capabilitiesOf(parts.parts, parts.maxTokens, parts.samplingWeights), vocabularySize };
    if (parts.parts.valueHead) this.values = async (batch) => (await this.#evaluate(batch)).values!;
  }

  /** Defined if the model has a value head. */
  readonly values?: (batch: TrainingBatch) => Promise<Float64Array>;

  get policyVersion(): number {
    return this.#version;
  }

  async generate(
    requests: readonly GenerateRequest[],
    sampling: Sampling,
    signal?: AbortSignal,
  ): Promise<GeneratedTokens[]> {
    signal?.throwIfAborted();
    const shares = splitRequests(requests, this.#engine.cores, this.#homes);
    const answers = Array<GeneratedTokens>(requests.length);
    await this.#onCores(shares, async (share, core) => {
      const released = this.#released[core]!.splice(0);
      const asked = packRequests(
        share.map((index) => requests[index]!),
        this.#histories,
        released,
      );
      const histories = asked.sequences.map((name) => this.#histories.current(name));
      try {
        const packed = await this.#engine.call(core, 'generate', [asked, sampling], signal);
        for (const [place, answer] of unpackAnswers(packed).entries()) {
          answers[share[place]!] = answer;
          this.#histories.settle(asked.sequences[place]!, histories[place], answer.tokens);
        }
      } catch (error) {
        asked.sequences.forEach((name, place) => this.#histories.abandon(name, histories[place]));
        throw error;
      }
    });
    // The counts are integers, so their sum does not depend on the order of calls.
    for (const [index, request] of requests.entries()) {
      this.countSampled(request, answers[index]!);
    }
    return answers;
  }

  /** Sent to the cores with their next requests, because a separate message would wake them for little. */
  release(sequences: readonly string[]): void {
    for (const sequence of sequences) {
      const home = this.#homes.get(sequence);
      if (home !== undefined) this.#released[home]!.push(sequence);
      this.#homes.delete(sequence);
      this.#sampling.release(sequence);
    }
    this.#histories.forget(sequences);
  }

  async forwardBackward(batch: TrainingBatch, loss: Loss): Promise<ForwardBackwardResult> {
    this.#count(batch, 'training');
    const unit = lossTraits(loss).readsPairs ? 2 : 1;
    const sums: { [kind in 'terms' | 'metrics']: { [name: string]: number } } = {
      terms: zeros(loss.terms),
      metrics: zeros(loss.metrics ?? {}),
    };
    const evaluated = await this.#spread(batch, unit, async (part, core): Promise<Accumulated> => {
      return this.#engine.call(core, 'accumulate', [part, loss]);
    });
    for (const { terms, metrics } of evaluated.parts) {
      for (const [name, sum] of Object.entries(terms)) sums.terms[name]! += sum;
      for (const [name, sum] of Object.entries(metrics)) sums.metrics[name]! += sum;
    }
    return { ...evaluated.whole, ...sums };
  }

  async optimizerStep(step: OptimizerStep): Promise<OptimizerStepResult> {
    const others = await Promise.all(this.#otherCores().map((core) => this.#engine.call(core, 'takeGradient', [])));
    const { parameters, ...result } = await this.#engine.call(0, 'step', [others, step]);
    if (result.applied) {
      this.#version += 1;
      this.#forgetSequences();
    }
    if (parameters) await this.#shareParameters(parameters);
    return result;
  }

  async resetOptimizer(settings: OptimizerSettings): Promise<void> {
    await this.#engine.call(0, 'startStage', [settings]);
    await Promise.all(this.#otherCores().map((core) => this.#engine.call(core, 'startStage', [])));
    this.#optimizer = settings;
  }

  async logprobs(batch: TrainingBatch): Promise<Float64Array> {
    return (await this.#evaluate(batch)).logprobs;
  }

  async freeze(): Promise<ReferenceModel> {
    const number = this.#frozen++;
    const all = this.#cores();
    await Promise.all(all.map((core) => this.#engine.call(core, 'freeze', [number])));
    return {
      logprobs: async (batch) => (await this.#evaluate(batch, number)).logprobs,
      dispose: async () => {
        if (!this.#disposed) await Promise.all(all.map((core) => this.#engine.call(core, 'unfreeze', [number])));
      },
    };
  }

  /** `forwardOperations` of all tokens, `batchOperations` of training. The optimizer is not counted. */
  takeOperations(): number {
    const taken = this.#operations;
    this.#operations = 0;
    return taken;
  }

  countSampled(request: GenerateRequest, answer: GeneratedTokens): void {
    this.#operations += this.#sampling.operations(request, answer);
  }

  /** Measured once. All cores compute at the same time, as in training. */
  peakOperations(): Promise<number> {
    this.#peak ??= Promise.all(this.#cores().map((core) => this.#engine.call(core, 'peak', []))).then((peaks) =>
      peaks.reduce((sum, peak) => sum + peak, 0),
    );
    return this.#peak;
  }

  async save(directory: string): Promise<void> {
    const { folder, parts, lora } = this.#parts;
    const engine = this.#engine;
    const shapes = [...trainableShapes(folder.config, parts)];
    const state = await engine.call(0, 'optimizerState', []);
    const moments = [...(state?.moments ?? [])];
    await writeCheckpoint(directory, {
      folder,
      lora,
      trained: new Map(shapes.map(([name, shape]) => [name, trainedTensor(engine, name, shape, 'float32')])),
      policyVersion: this.#version,
      ...(state && {
        optimizer: {
          settings: this.#optimizer,
          steps: state.steps,
          moments: new Map(moments.map(([name, { shape, type }]) => [name, trainedTensor(engine, name, shape, type)])),
        },
      }),
    });
  }

  async load(directory: string): Promise<void> {
    const { files, folder, parts } = this.#parts;
    const { data, policyVersion, optimizer } = await readCheckpoint(files, directory, folder.config, parts);
    await this.#engine.call(0, 'setParameters', [data]);
    await this.#shareParameters(data);
    await this.resetOptimizer(optimizer?.settings ?? this.#optimizer);
    if (optimizer) {
      await writeMoments(this.#engine, optimizer.moments);
      await this.#engine.call(0, 'restoreSteps', [optimizer.steps]);
    }
    this.#forgetSequences();
    this.#version = policyVersion;
  }

  describe(): JsonObject {
    const { facts, samplingWeights } = this.#parts;
    return { ...facts, samplingWeights, threads: this.#engine.cores };
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.#engine.dispose();
  }

  #count(batch: TrainingBatch, kind: 'forward' | 'training'): void {
    const { folder, parts } = this.#parts;
    this.#operations += batchOperations(folder.config, parts, batch, kind);
  }

  async #evaluate(batch: TrainingBatch, frozen?: number): Promise<Evaluated> {
    this.#count(batch, 'forward');
    const evaluated = await this.#spread(batch, 1, (part, core) => {
      return this.#engine.call(core, 'evaluate', frozen === undefined ? [part] : [part, frozen]);
    });
    return evaluated.whole;
  }

  /** Distributes the rows of a batch to the cores and copies the results back to their rows. */
  async #spread<Part extends Evaluated>(
    batch: TrainingBatch,
    unit: 1 | 2,
    run: (part: TrainingBatch, core: number) => Promise<Part>,
  ): Promise<{ readonly whole: Evaluated; readonly parts: readonly Part[] }> {
    const { width } = batch;
    const array = () => new Float64Array(batch.rows * width);
    const whole: Evaluated = {
      logprobs: array(),
      entropy: array(),
      ...(this.#parts.parts.valueHead ? { values: array() } : {}),
    };
    // Pairs are found by their position in the batch, so a share keeps its rows in order.
    const shares = dealUnits(batch, trainedUnits(batch, unit), this.#engine.cores).map((units) =>
      units.flat().sort((a, b) => a - b),
    );
    const parts = await this.#onCores(shares, async (rows, core) => {
      const part = await run(takeRows(batch, rows), core);
      for (const [place, row] of rows.entries()) {
        for (const name of ['logprobs', 'entropy', 'values'] as const) {
          const found = part[name]?.subarray(place * width, (place + 1) * width);
          if (found) whole[name]?.set(found, row * width);
        }
      }
      return part;
    });
    return { whole, parts };
  }

  /** Waits for all cores even if one fails, so that no call runs longer than its caller. */
  async #onCores<Share extends readonly unknown[], Result>(
    shares: readonly Share[],
    run: (share: Share, core: number) => Promise<Result>,
  ): Promise<Result[]> {
    const used = shares.map((share, core) => ({ share, core })).filter(({ share }) => share.length > 0);
    const settled = await Promise.allSettled(used.map(({ share, core }) => run(share, core)));
    return settled.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  }

  /** New weights make the cached results of the cores useless, so a sequence may move to another core. */
  #forgetSequences(): void {
    this.release([...this.#homes.keys()]);
  }

  #cores(): number[] {
    return Array.from({ length: this.#engine.cores }, (_, core) => core);
  }

  #otherCores(): number[] {
    return this.#cores().slice(1);
  }

  async #shareParameters(data: Float32Array): Promise<void> {
    await Promise.all(this.#otherCores().map((core) => this.#engine.call(core, 'setParameters', [data])));
  }
}

function zeros(names: object): { [name: string]: number } {
  return Object.fromEntries(Object.keys(names).map((name) => [name, 0]));
}
