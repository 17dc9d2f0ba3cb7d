import type {
  Loss,
  OptimizerSettings,
  OptimizerStep,
  OptimizerStepResult,
  Sampling,
  TrainingBatch,
} from '@agentgym/cli';

import { createExecutor, type EngineName } from '../executors/create-executor.js';
import type { Executor, Precision } from '../executors/executor.js';
import { measurePeak } from '../executors/measure-peak.js';
import type { State, StateArrays, StateType } from '../executors/state.js';
import type { ModelWeights } from '../generation/token-generator.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { frozenShapes, trainableShapes, type Adapter } from '../model/parameters.js';
import { gradientState } from '../model/training-graph.js';
import { createOptimizer } from '../optimizers/create-optimizer.js';
import type { Shape } from '../operations/tensor.js';
import type { Optimizer } from '../optimizers/optimizer.js';
import { CoreSampler } from './core-sampler.js';
import { Generators, type SamplingWeights } from './create-generator.js';
import type { PackedAnswers, PackedRequests } from './packed-requests.js';
import { LayeredTrainer } from './layered-trainer.js';
import type { Accumulated, BatchTrainer, Evaluated } from './batch-trainer.js';
import { Trainer } from './trainer.js';

/** Settings of a core, which are sent to its worker. */
export interface EngineSettings {
  readonly engine: 'auto' | EngineName;
  readonly precision?: Precision;
  readonly deterministic?: boolean;
  /** See `ExecutorOptions`. */
  readonly engineFolder?: string | undefined;
  readonly config: DecoderConfig;
  readonly valueHead: boolean;
  /** If given, only it and the value head are trained. */
  readonly adapter?: Adapter | undefined;
  /** Whether training goes layer by layer, which needs less memory. */
  readonly layered: boolean;
  /** See `ExecutorOptions`. */
  readonly returnsMemory?: boolean;
  /** Threads of a core. */
  readonly sessionThreads: number;
  /** Largest rows * width of one training run, or most tokens if it goes layer by layer. */
  readonly microBatchTokens: number;
  /** Memory for what layers keep for the backward pass, if training goes layer by layer. */
  readonly activationBytes: number;
  readonly cacheBytes: number;
  /** With which training episodes are sampled. */
  readonly samplingWeights: SamplingWeights;
  /** See `PolicyContext`. */
  readonly samplesOnly?: boolean | undefined;
}

export interface EngineFacts {
  readonly engine: Executor['engine'];
  readonly version: string;
}

/** What an optimizer needs to continue exactly, without the numbers. */
export interface OptimizerState {
  readonly steps: number;
  /** Moments, as `<moment>.<parameter>`. */
  readonly moments: ReadonlyMap<string, { readonly shape: Shape; readonly type: StateType }>;
}

/** Used until a stage sets another. */
export const DEFAULT_OPTIMIZER: OptimizerSettings = { name: 'adamw', options: {} };

/**
 * The model on one thread. It samples and adds up gradients. On one of the cores, the optimizer changes the weights.
 * All arguments and results can be sent to another thread. Calls must not overlap: `serve` and `InProcessEngine` run
 * them one after the other. All numbers of the model are state of the executor; a core sends them as one array, in the
 * order of `trainableShapes` or `frozenShapes`.
 */
export class EngineCore {
  readonly #executor: Executor;
  readonly #generators: Generators;
  readonly #sampler: CoreSampler;
  readonly #trainer: BatchTrainer;
  readonly #settings: EngineSettings;
  readonly #trainable: State;
  readonly #gradients: State;
  #frozen: State | undefined;
  /** Frozen copies of the trainable weights. */
  readonly #copies = new Map<number, State>();
  /** Adapters over the weights, which only sample, by their numbers. */
  readonly #adapters = new Map<number, { readonly factors: State; readonly sampler: CoreSampler }>();
  #optimizer: Optimizer | undefined;

  private constructor(settings: EngineSettings, executor: Executor) {
    const { config, adapter, samplingWeights } = settings;
    this.#settings = settings;
    this.#executor = executor;
    this.#generators = new Generators(config, executor, settings);
    this.#sampler = new CoreSampler(() => this.#weights(), this.#generators, adapter, samplingWeights);
    this.#trainer = this.#newTrainer();
    this.#trainable = executor.allocate(trainableShapes(config, settings));
    this.#gradients = this.#newGradients();
  }

  static async create(settings: EngineSettings, log: (message: string) => void): Promise<EngineCore> {
    const { engine, engineFolder, precision = 'float32', deterministic = false } = settings;
    const { sessionThreads: threads, returnsMemory = false } = settings;
    const options = { engine, engineFolder, precision, deterministic, threads, returnsMemory, log };
    return new EngineCore(settings, await createExecutor(options));
  }

  facts(): EngineFacts {
    return { engine: this.#executor.engine, version: this.#executor.version };
  }

  /** See `measurePeak`. */
  peak(): Promise<number> {
    return measurePeak(this.#executor);
  }

  /** Sets the weights that an adapter leaves as they are. The core keeps the array. */
  async setFrozen(data: Float32Array): Promise<void> {
    await this.#frozen?.dispose();
    this.#frozen = this.#executor.allocate(frozenShapes(this.#settings.config, this.#settings), data);
    this.#sampler.renew();
  }

  /** Sets the trainable weights. */
  async setParameters(data: Float32Array): Promise<void> {
    await this.#trainable.writeAll(data);
    this.#sampler.renew();
  }

  /**
   * Adds an adapter over the weights that an adapter leaves as they are, or over all. They must not change while it is open.
   *
   * @param data in the order of its `trainableShapes`. The core keeps the array.
   */
  openAdapter(number: number, adapter: Adapter, data: Float32Array): void {
    const { config, samplingWeights } = this.#settings;
    const factors = this.#executor.allocate(trainableShapes(config, { valueHead: false, adapter }), data);
    const weights = () => ({ trainable: factors, frozen: this.#frozen ?? this.#trainable });
    const sampler = new CoreSampler(weights, this.#generators, adapter, samplingWeights);
    this.#adapters.set(number, { factors, sampler });
  }

  async closeAdapter(number: number): Promise<void> {
    const adapter = this.#adapters.get(number);
    this.#adapters.delete(number);
    await adapter?.sampler.dispose();
    await adapter?.factors.dispose();
  }

  generate(requests: PackedRequests, sampling: Sampling, signal?: AbortSignal): Promise<PackedAnswers> {
    const { adapter } = requests;
    const sampler = adapter === undefined ? this.#sampler : this.#adapters.get(adapter)?.sampler;
    if (sampler === undefined) throw new Error('this adapter was disposed of');
    return sampler.generate(requests, sampling, signal);
  }

  /** Adds the gradient of the loss over this share of a batch. */
  accumulate(batch: TrainingBatch, loss: Loss): Promise<Accumulated> {
    return this.#trainer.accumulate(this.#weights(), this.#gradients, batch, loss);
  }

  /** Computes a batch as `accumulate` does, and forgets it: its gradients and programs are its own. */
  async rehearse(batch: TrainingBatch, loss: Loss): Promise<void> {
    const [trainer, gradients] = [this.#newTrainer(), this.#newGradients()];
    try {
      await trainer.accumulate(this.#weights(), gradients, batch, loss);
    } finally {
      await trainer.dispose();
      await gradients.dispose();
    }
  }

  /** @param copy number of a frozen copy; default: the live weights */
  evaluate(batch: TrainingBatch, copy?: number): Promise<Evaluated> {
    const trainable = copy === undefined ? this.#trainable : this.#copies.get(copy);
    if (!trainable) throw new Error('this frozen copy of the policy was disposed of');
    return this.#trainer.evaluate(this.#weights(trainable), batch);
  }

  async freeze(copy: number): Promise<void> {
    this.#copies.set(copy, this.#executor.allocate(this.#trainable.shapes, await this.#trainable.readAll()));
  }

  async unfreeze(copy: number): Promise<void> {
    await this.#copies.get(copy)?.dispose();
    this.#copies.delete(copy);
  }

  /** Returns the accumulated gradient and resets it to zeros. */
  async takeGradient(): Promise<Float32Array> {
    const data = await this.#gradients.readAll();
    await this.#gradients.clear();
    return data;
  }

  /**
   * Clears the gradient and gives back the memory of what only the stage before needed.
   * @param settings for the core that changes the weights: creates a new optimizer for them
   */
  async startStage(settings?: OptimizerSettings): Promise<void> {
    const optimizer = settings && this.#newOptimizer(settings);
    await this.#optimizer?.dispose();
    this.#optimizer = optimizer;
    await this.#gradients.clear();
    await this.#trainer.endStage();
  }

  /**
   * Adds the gradients of the other cores in order, clips, applies and clears. Nothing is applied if the sum is not
   * finite. If there are other cores, returns the weights for them.
   */
  async step(
    others: readonly Float32Array[],
    { learningRate, clipNorm }: OptimizerStep,
  ): Promise<OptimizerStepResult & { readonly parameters?: Float32Array }> {
    this.#optimizer ??= this.#newOptimizer(DEFAULT_OPTIMIZER);
    for (const other of others) await this.#gradients.addAll(other);
    const result = await this.#optimizer.step(learningRate, clipNorm);
    if (result.applied) this.#sampler.renew();
    return { ...result, ...(result.applied && others.length > 0 && { parameters: await this.#trainable.readAll() }) };
  }

  /** `count` numbers of a trainable weight or of a moment, from `start` on. */
  read(name: string, start: number, count: number): Promise<Float32Array> {
    const owner = this.#trainable.has(name) ? this.#trainable : this.#momentsWith(name);
    return owner.read(name, start, count);
  }

  /** `undefined` if there is no optimizer yet. */
  optimizerState(): OptimizerState | undefined {
    if (this.#optimizer === undefined) return undefined;
    const { steps, moments } = this.#optimizer;
    const described = moments.flatMap(({ shapes, type }) =>
      [...shapes].map(([name, shape]) => [name, { shape, type }] as const),
    );
    return { steps, moments: new Map(described) };
  }

  /** Replaces the numbers of a moment from `start` on. */
  writeMoment(name: string, data: Float32Array, start: number): Promise<void> {
    return this.#momentsWith(name).write(name, data, start);
  }

  /** Continues as after this many steps. */
  restoreSteps(steps: number): void {
    if (this.#optimizer) this.#optimizer.steps = steps;
  }

  async dispose(): Promise<void> {
    for (const number of this.#adapters.keys()) await this.closeAdapter(number);
    await this.#sampler.dispose();
    await this.#trainer.dispose();
    await this.#optimizer?.dispose();
    await this.#executor.dispose();
  }

  #momentsWith(name: string): StateArrays {
    const owner = this.#optimizer?.moments.find((moments) => moments.has(name));
    if (owner === undefined) throw new Error(`the core has no ${name}`);
    return owner;
  }

  #weights(trainable = this.#trainable): ModelWeights {
    return { trainable, frozen: this.#frozen };
  }

  #newTrainer(): BatchTrainer {
    const { config, layered, microBatchTokens } = this.#settings;
    return layered
      ? new LayeredTrainer(this.#executor, config, this.#settings, this.#settings)
      : new Trainer(this.#executor, config, this.#settings, microBatchTokens);
  }

  #newGradients(): State {
    const shapes = trainableShapes(this.#settings.config, this.#settings);
    return this.#executor.allocate(new Map([...shapes].map(([name, shape]) => [gradientState(name), shape])));
  }

  #newOptimizer(settings: OptimizerSettings): Optimizer {
    return createOptimizer(settings, { parameters: this.#trainable, gradients: this.#gradients }, this.#executor);
  }
}
