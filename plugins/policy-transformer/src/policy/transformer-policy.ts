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
import { lossTraits, type LossUnit } from '../worker/loss-key.js';
import type { Accumulated, Evaluated } from '../worker/batch-trainer.js';
import type { AdapterOpener } from './open-adapter.js';
import { measureMemory } from './measure-memory.js';
import { longestEpisodes, type MemorySettings } from './memory-at-caps.js';
import { readCheckpoint, writeCheckpoint } from './checkpoint.js';
import { SamplingCount } from './sampling-count.js';
import { SequenceSampler, onCores } from './sequence-sampler.js';
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
  readonly capabilities: PolicyCapabilities;
  readonly samplingWeights: SamplingWeights;
  readonly adapters?: AdapterOpener | undefined;
  /** What determines the memory of training. Absent on a device with a memory of its own. */
  readonly memory?: Omit<MemorySettings, 'load' | 'played' | 'trained'> & { readonly maxTokens: number | undefined };
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
    sampler: { independent: true, draws: true, exact: samplingWeights === 'float32', concurrent: true, mixed: true },
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
  readonly #sampler: SequenceSampler;
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
    this.#sampler = new SequenceSampler(parts.engine);
    this.capabilities = parts.capabilities;
    const { adapters, engine, memory } = parts;
    if (memory) {
      const { config, maxTokens } = memory;
      this.measureMemory = (load) =>
        measureMemory(engine, { ...memory, load, ...longestEpisodes(load, config, maxTokens) });
    }
    if (adapters) this.openAdapter = (...given) => adapters.openAdapter(...given);
    if (parts.parts.valueHead) this.values = async (batch) => (await this.#evaluate(batch)).values!;
  }

  /** Defined if the model has a value head. */
  readonly values?: (batch: TrainingBatch) => Promise<Float64Array>;

  /** Defined if adapters can share the weights: no adapter is merged into them. */
  readonly openAdapter?: NonNullable<PolicyModel['openAdapter']>;

  /** Defined if the engine computes in the memory of the process. */
  readonly measureMemory?: NonNullable<PolicyModel['measureMemory']>;

  get policyVersion(): number {
    return this.#version;
  }

  async generate(
    requests: readonly GenerateRequest[],
    sampling: Sampling,
    signal?: AbortSignal,
  ): Promise<GeneratedTokens[]> {
    const answers = await this.#sampler.generate(requests, sampling, signal);
    // The counts are integers, so their sum does not depend on the order of calls.
    for (const [index, request] of requests.entries()) {
      this.countSampled(request, answers[index]!);
    }
    return answers;
  }

  release(sequences: readonly string[]): void {
    this.#sampler.release(sequences);
    for (const sequence of sequences) this.#sampling.release(sequence);
  }

  async forwardBackward(batch: TrainingBatch, loss: Loss): Promise<ForwardBackwardResult> {
    this.#count(batch, 'training');
    const { unit } = lossTraits(loss);
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
    this.#refuseChange();
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

  /** `operationCounter` of all tokens, `batchOperations` of training. The optimizer is not counted. */
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
    this.#refuseChange();
    const { files, folder, lora, parts } = this.#parts;
    const { data, policyVersion, optimizer } = await readCheckpoint(files, directory, folder.config, parts, lora?.base);
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

  #refuseChange(): void {
    if (this.#parts.adapters?.open) throw new Error('the weights cannot change while adapters over them are open');
  }

  #count(batch: TrainingBatch, kind: 'forward' | 'training'): void {
    const { folder, parts } = this.#parts;
    this.#operations += batchOperations(folder.config, parts, batch, kind);
  }

  async #evaluate(batch: TrainingBatch, frozen?: number): Promise<Evaluated> {
    this.#count(batch, 'forward');
    const evaluated = await this.#spread(batch, 'row', (part, core) => {
      return this.#engine.call(core, 'evaluate', frozen === undefined ? [part] : [part, frozen]);
    });
    return evaluated.whole;
  }

  /** Distributes the rows of a batch to the cores and copies the results back to their rows. */
  async #spread<Part extends Evaluated>(
    batch: TrainingBatch,
    unit: LossUnit,
    run: (part: TrainingBatch, core: number) => Promise<Part>,
  ): Promise<{ readonly whole: Evaluated; readonly parts: readonly Part[] }> {
    const { width } = batch;
    const array = () => new Float64Array(batch.rows * width);
    const whole: Evaluated = {
      logprobs: array(),
      entropy: array(),
      ...(this.#parts.parts.valueHead ? { values: array() } : {}),
    };
    // Episodes and pairs are found by their position in the batch, so a share keeps its rows in order.
    const shares = dealUnits(batch, trainedUnits(batch, unit), this.#engine.cores).map((units) =>
      units.flat().sort((a, b) => a - b),
    );
    const parts = await onCores(shares, async (rows, core) => {
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

  /** New weights make the cached results of the cores useless, so a sequence may move to another core. */
  #forgetSequences(): void {
    this.release(this.#sampler.sequences);
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
