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
import type { ModelWeights, TokenGenerator } from '../generation/token-generator.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { frozenShapes, trainableShapes, type Adapter } from '../model/parameters.js';
import { gradientState } from '../model/training-graph.js';
import { createOptimizer } from '../optimizers/create-optimizer.js';
import type { Shape } from '../operations/tensor.js';
import type { Optimizer } from '../optimizers/optimizer.js';
import { createGenerator, type SamplingWeights } from './create-generator.js';
import { packAnswers, unpackRequests, type PackedAnswers, type PackedRequests } from './packed-requests.js';
import { TokenHistories } from './token-histories.js';
import { LayeredTrainer } from './layered-trainer.js';
import { withCure } from './out-of-memory.js';
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
  /** Threads of a core. */
  readonly sessionThreads: number;
  /** Largest rows * width of one training run, or most tokens if it goes layer by layer. */
  readonly microBatchTokens: number;
  /** Memory for what layers keep for the backward pass, if training goes layer by layer. */
  readonly activationBytes: number;
  readonly cacheBytes: number;
  /** With which training episodes are sampled. */
  readonly samplingWeights: SamplingWeights;
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
  readonly #generator: TokenGenerator;
  /** Samples from the weights themselves, not from a copy; often the same generator. */
  readonly #exactGenerator: TokenGenerator;
  readonly #trainer: BatchTrainer;
  readonly #histories = new TokenHistories();
  readonly #settings: EngineSettings;
  readonly #trainable: State;
  readonly #gradients: State;
  #frozen: State | undefined;
  /** Frozen copies of the trainable weights. */
  readonly #copies = new Map<number, State>();
  #optimizer: Optimizer | undefined;
  /** The generators that have the present weights. */
  readonly #current = new Set<TokenGenerator>();

  private constructor(settings: EngineSettings, executor: Executor) {
    const { config, adapter, microBatchTokens, cacheBytes, samplingWeights } = settings;
    this.#settings = settings;
    this.#executor = executor;
    const generator = (weights: SamplingWeights) => createGenerator(config, adapter, executor, cacheBytes, weights);
    this.#generator = generator(samplingWeights);
    this.#exactGenerator = samplingWeights === 'float32' ? this.#generator : generator('float32');
    this.#trainer = settings.layered
      ? new LayeredTrainer(executor, config, settings, settings)
      : new Trainer(executor, config, settings, microBatchTokens);
    const shapes = trainableShapes(config, settings);
    this.#trainable = executor.allocate(shapes);
    this.#gradients = executor.allocate(new Map([...shapes].map(([name, shape]) => [gradientState(name), shape])));
  }

  static async create(settings: EngineSettings, log: (message: string) => void): Promise<EngineCore> {
    const { engine, engineFolder, precision = 'float32', deterministic = false } = settings;
    const { sessionThreads: threads, layered: returnsMemory } = settings;
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
    this.#current.clear();
  }

  /** Sets the trainable weights. */
  async setParameters(data: Float32Array): Promise<void> {
    await this.#trainable.writeAll(data);
    this.#current.clear();
  }

  async generate(requests: PackedRequests, sampling: Sampling, signal?: AbortSignal): Promise<PackedAnswers> {
    // Comes before anything that may fail, because the other side assumes that every request was read.
    const asked = unpackRequests(requests, this.#histories);
    const histories = requests.sequences.map((name) => this.#histories.current(name));
    const generator = sampling.exact ? this.#exactGenerator : this.#generator;
    const other = sampling.exact ? this.#generator : this.#exactGenerator;
    if (!this.#current.has(generator)) {
      await generator.useWeights(this.#weights());
      this.#current.add(generator);
    }
    generator.release(requests.released);
    // What is unchanged since the last answer is known of one generator at a time.
    if (other !== generator) other.release([...requests.released, ...requests.sequences]);
    const answers = await withCure('Lower policy.options.cacheMegabytes.', () =>
      generator.generate(asked, sampling, signal),
    );
    for (const [index, { sequence }] of asked.entries()) {
      this.#histories.settle(sequence, histories[index], answers[index]!.tokens);
    }
    return packAnswers(answers);
  }

  /** Adds the gradient of the loss over this share of a batch. */
  accumulate(batch: TrainingBatch, loss: Loss): Promise<Accumulated> {
    return this.#trainer.accumulate(this.#weights(), this.#gradients, batch, loss);
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
    if (result.applied) this.#current.clear();
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
    await this.#generator.dispose();
    if (this.#exactGenerator !== this.#generator) await this.#exactGenerator.dispose();
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

  #newOptimizer(settings: OptimizerSettings): Optimizer {
    return createOptimizer(settings, { parameters: this.#trainable, gradients: this.#gradients }, this.#executor);
  }
}
