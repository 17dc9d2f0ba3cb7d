import type {
  Loss,
  OptimizerSettings,
  OptimizerStep,
  OptimizerStepResult,
  Sampling,
  TrainingBatch,
} from '@agentgym/cli';

import { createExecutor } from '../executors/create-executor.js';
import type { Executor } from '../executors/executor.js';
import type { TokenGenerator } from '../generation/token-generator.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { clipFactor, gradientNorm } from '../optimizers/clip-gradient.js';
import { createOptimizer } from '../optimizers/create-optimizer.js';
import type { Optimizer, OptimizerState } from '../optimizers/optimizer.js';
import { createGenerator } from './create-generator.js';
import { packAnswers, unpackRequests, type PackedAnswers, type PackedRequests } from './packed-requests.js';
import { ParameterBlock } from './parameter-block.js';
import { TokenHistories } from './token-histories.js';
import { Trainer, type Accumulated, type Evaluated } from './trainer.js';

/** Settings of a core, which are sent to its worker. */
export interface EngineSettings {
  readonly engine: 'auto' | Executor['engine'];
  readonly config: DecoderConfig;
  readonly valueHead: boolean;
  /** Largest rows * width of one training run. */
  readonly microBatchTokens: number;
  readonly cacheBytes: number;
}

export interface EngineFacts {
  readonly engine: Executor['engine'];
  readonly version: string;
}

/** Used until `resetOptimizer` sets another. */
export const DEFAULT_OPTIMIZER: OptimizerSettings = { name: 'adamw', options: {} };

/**
 * The model on one thread. It samples and adds up gradients. On one of the cores, the optimizer changes the weights.
 * All arguments and results can be sent to another thread. Calls must not overlap: `serve` and `InProcessEngine` run
 * them one after the other.
 */
export class EngineCore {
  readonly #settings: EngineSettings;
  readonly #executor: Executor;
  readonly #generator: TokenGenerator;
  readonly #trainer: Trainer;
  readonly #histories = new TokenHistories();
  readonly #parameters: ParameterBlock;
  readonly #frozen = new Map<number, ParameterBlock>();
  #gradient: ParameterBlock;
  #optimizer: Optimizer | undefined;
  /** Whether the generator has older weights. */
  #stale = true;

  private constructor(settings: EngineSettings, executor: Executor) {
    const { config, microBatchTokens, cacheBytes } = settings;
    this.#settings = settings;
    this.#executor = executor;
    this.#generator = createGenerator(config, executor, cacheBytes);
    this.#trainer = new Trainer(executor, config, settings, microBatchTokens);
    this.#parameters = this.#block();
    this.#gradient = this.#block();
  }

  static async create(settings: EngineSettings, log: (message: string) => void): Promise<EngineCore> {
    return new EngineCore(settings, await createExecutor({ engine: settings.engine, threads: 1, log }));
  }

  facts(): EngineFacts {
    return { engine: this.#executor.engine, version: this.#executor.version };
  }

  /** Sets the weights to a `ParameterBlock`'s data. */
  setParameters(data: Float32Array): void {
    this.#parameters.data.set(data);
    this.#stale = true;
  }

  parameters(): Float32Array {
    return this.#parameters.data.slice();
  }

  async generate(requests: PackedRequests, sampling: Sampling, signal?: AbortSignal): Promise<PackedAnswers> {
    // Comes before anything that may fail, because the other side assumes that every request was read.
    const asked = unpackRequests(requests, this.#histories);
    const histories = requests.sequences.map((name) => this.#histories.current(name));
    if (this.#stale) {
      await this.#generator.useWeights(this.#parameters.views);
      this.#stale = false;
    }
    this.#generator.release(requests.released);
    const answers = await this.#generator.generate(asked, sampling, signal);
    for (const [index, { sequence }] of asked.entries()) {
      this.#histories.settle(sequence, histories[index], answers[index]!.tokens);
    }
    return packAnswers(answers);
  }

  /** Adds the gradient of the loss over this share of a batch. */
  accumulate(batch: TrainingBatch, loss: Loss): Promise<Accumulated> {
    return this.#trainer.accumulate(this.#parameters, this.#gradient, batch, loss);
  }

  /** @param frozen number of a frozen copy; default: the live weights */
  evaluate(batch: TrainingBatch, frozen?: number): Promise<Evaluated> {
    const parameters = frozen === undefined ? this.#parameters : this.#frozen.get(frozen);
    if (!parameters) throw new Error('this frozen copy of the policy was disposed of');
    return this.#trainer.evaluate(parameters, batch);
  }

  freeze(number: number): void {
    this.#frozen.set(number, this.#block(this.parameters()));
  }

  unfreeze(number: number): void {
    this.#frozen.delete(number);
  }

  /** Returns the accumulated gradient and resets it to zeros. */
  takeGradient(): Float32Array {
    const { data } = this.#gradient;
    this.#gradient = this.#block();
    return data;
  }

  /** Creates a new optimizer for these weights and clears the gradient. */
  async resetOptimizer(settings: OptimizerSettings): Promise<void> {
    const optimizer = this.#newOptimizer(settings);
    await this.#optimizer?.dispose();
    this.#optimizer = optimizer;
    this.takeGradient();
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
    for (const other of others) this.#gradient.add(other);
    const norm = gradientNorm(this.#gradient.views);
    const applied = Number.isFinite(norm);
    if (applied) {
      await this.#optimizer.step(this.#gradient.views, learningRate, clipFactor(norm, clipNorm));
      this.#stale = true;
    }
    this.#gradient.data.fill(0);
    return { gradientNorm: norm, applied, ...(applied && others.length > 0 && { parameters: this.parameters() }) };
  }

  optimizerState(): OptimizerState | undefined {
    return this.#optimizer?.state();
  }

  restoreOptimizer(state: OptimizerState): void {
    this.#optimizer?.restore(state);
  }

  async dispose(): Promise<void> {
    await this.#generator.dispose();
    await this.#trainer.dispose();
    await this.#optimizer?.dispose();
  }

  #newOptimizer(settings: OptimizerSettings): Optimizer {
    const { shapes, views } = this.#parameters;
    const shaped = new Map([...views].map(([name, data]) => [name, { shape: shapes.get(name) ?? [], data }]));
    return createOptimizer(settings, shaped, this.#executor);
  }

  #block(data?: Float32Array): ParameterBlock {
    return new ParameterBlock(this.#settings.config, this.#settings, data);
  }
}
