import type { LossInputName, TrainingBatch } from '@agentgym/cli';

import type { Executable, Executor } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import { statesOf, type ModelWeights } from '../generation/token-generator.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { MaskMemory } from '../model/mask-memory.js';
import { packRows, type PackedRows } from '../model/pack-rows.js';
import type { ParameterOptions } from '../model/parameters.js';
import { evaluationGraph, trainingGraph, type TrainingSizes } from '../model/training-graph.js';
import { cutMicroBatches } from './batch-rows.js';
import { BatchTrainer, type Outputs, type Training } from './batch-trainer.js';
import type { LossUnit } from './loss-key.js';

/** Primes that represent the open sizes of the graphs. */
const STAND_INS = { rows: 100_003, block: 100_019, slots: 100_043, asks: 100_049, points: 100_057 };

/**
 * Computes a micro-batch in one graph. A session of a loss serves all shapes with the same number of blocks.
 */
export class Trainer extends BatchTrainer<PackedRows> {
  protected readonly trainsAtOnce = true;
  readonly #microBatchTokens: number;
  readonly #memory = new MaskMemory();

  /** @param microBatchTokens largest rows * width of a micro-batch of several sequences */
  constructor(executor: Executor, config: DecoderConfig, options: ParameterOptions, microBatchTokens: number) {
    super(executor, config, options);
    this.#microBatchTokens = microBatchTokens;
  }

  /** Each session keeps the memory of its largest run, and those of the last loss would keep theirs for nothing. */
  override endStage(): Promise<void> {
    return this.sessions.dispose();
  }

  protected cut(batch: TrainingBatch, units: readonly number[][]): readonly number[][] {
    return cutMicroBatches(batch, units, this.config, this.#microBatchTokens);
  }

  protected pack(batch: TrainingBatch, rows: readonly number[], reads: readonly LossInputName[], unit: LossUnit) {
    return packRows(batch, rows, this.config, { reads, unit: unit === 'pair' ? 2 : 1, memory: this.#memory });
  }

  protected async evaluateRows(weights: ModelWeights, packed: PackedRows): Promise<Outputs> {
    const sizes = openSizesFor(packed.sizes, 1);
    const session = await this.sessions.get(`evaluate ${keyOf(sizes)}`, () => ({
      outputs: evaluationGraph(this.config, sizes, this.options),
      openSizes: STAND_INS,
    }));
    return this.#run(session, packed, statesOf(weights));
  }

  protected async trainRows(weights: ModelWeights, packed: PackedRows, training: Training): Promise<Outputs> {
    const session = await this.#training(training, packed.sizes);
    return this.#run(session, packed, [...statesOf(weights), training.gradients]);
  }

  #training({ loss, traits: { key, unit } }: Training, of: TrainingSizes): Promise<Executable> {
    const sizes = openSizesFor(of, unit === 'row' ? 1 : of.episodes);
    return this.sessions.get(`train ${keyOf(sizes)} ${key}`, () => {
      const { outputs, gradients } = trainingGraph(this.config, sizes, this.options, loss);
      return { outputs, add: gradients, openSizes: STAND_INS };
    });
  }

  #run(session: Executable, { sizes, inputs }: PackedRows, state: readonly State[]): Promise<Outputs> {
    const { rows, width, slots, points, asks, blocks } = sizes;
    return session.run(inputs, { sizes: { rows, block: width / blocks, slots, points, asks }, state });
  }
}

/** Sizes of a graph that is open in all sizes except these. Only a loss that reads episodes depends on their number. */
function openSizesFor({ blocks, shared }: TrainingSizes, episodes: number): TrainingSizes {
  const { block, ...others } = STAND_INS;
  const points = shared ? others.points : others.slots;
  return { ...others, points, episodes, width: blocks * block, blocks, shared };
}

/** What distinguishes graphs of open sizes. */
function keyOf({ episodes, blocks, shared }: TrainingSizes): string {
  return `${episodes} ${blocks} ${shared ? 'shared' : 'apart'}`;
}
