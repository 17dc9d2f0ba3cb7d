import type { LossInputName, TrainingBatch } from '@agentgym/cli';

import type { Executable, Executor, HostArrays } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import { statesOf, type ModelWeights } from '../generation/token-generator.js';
import { causalMask, maskInput } from '../model/causal-mask.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { packRows, type PackedRows, type RoundedSizes } from '../model/pack-rows.js';
import type { ParameterOptions } from '../model/parameters.js';
import { evaluationGraph, trainingGraph, type TrainingSizes } from '../model/training-graph.js';
import { cutMicroBatches } from './batch-rows.js';
import { BatchTrainer, type Outputs, type Training } from './batch-trainer.js';

/** Primes that represent the open sizes of the graphs. */
const STAND_INS = { rows: 100_003, block: 100_019, slots: 100_043, asks: 100_049 };

/**
 * Computes a micro-batch in one graph. A session of a loss serves all shapes with the same number of blocks.
 */
export class Trainer extends BatchTrainer<PackedRows> {
  readonly #microBatchTokens: number;

  /** @param microBatchTokens largest rows * width of a micro-batch */
  constructor(executor: Executor, config: DecoderConfig, options: ParameterOptions, microBatchTokens: number) {
    super(executor, config, options);
    this.#microBatchTokens = microBatchTokens;
  }

  protected cut(batch: TrainingBatch, units: readonly number[][]): readonly number[][] {
    return cutMicroBatches(batch, units, this.#microBatchTokens);
  }

  protected pack(batch: TrainingBatch, rows: readonly number[], reads: readonly LossInputName[], unit: 1 | 2) {
    return packRows(batch, rows, this.config, reads, unit);
  }

  protected async evaluateRows(weights: ModelWeights, packed: PackedRows): Promise<Outputs> {
    const { blocks } = packed.sizes;
    const session = await this.sessions.get(`evaluate ${blocks}`, () => ({
      outputs: evaluationGraph(this.config, openSizesFor(blocks), this.options),
      openSizes: STAND_INS,
    }));
    return this.#run(session, packed, statesOf(weights));
  }

  protected async trainRows(weights: ModelWeights, packed: PackedRows, training: Training): Promise<Outputs> {
    const session = await this.#training(training, packed.sizes);
    return this.#run(session, packed, [...statesOf(weights), training.gradients]);
  }

  #training({ loss, traits: { key, readsRows } }: Training, { rows, blocks }: RoundedSizes): Promise<Executable> {
    const { rows: _, ...others } = STAND_INS;
    const openSizes = readsRows ? others : STAND_INS;
    return this.sessions.get(`train ${readsRows ? rows : ''} ${blocks} ${key}`, () => {
      const sizes = { ...openSizesFor(blocks), ...(readsRows && { rows }) };
      const { outputs, gradients } = trainingGraph(this.config, sizes, this.options, loss);
      return { outputs, add: gradients, openSizes };
    });
  }

  #run(session: Executable, { sizes, inputs }: PackedRows, state: readonly State[]): Promise<Outputs> {
    const { rows, width, slots, asks, blocks } = sizes;
    const shaped: HostArrays = {
      positions: rowPositions(rows, width),
      ...Object.fromEntries(
        this.config.attentionKinds.map(({ window }) => [
          maskInput(window),
          causalMask(width, this.group, blocks, window),
        ]),
      ),
    };
    return session.run({ ...inputs, ...shaped }, { sizes: { rows, block: width / blocks, slots, asks }, state });
  }
}

/** int32 [rows, width]: 0, 1, ... in every row. */
function rowPositions(rows: number, width: number): Int32Array {
  const positions = new Int32Array(rows * width);
  for (let index = 0; index < positions.length; index += 1) positions[index] = index % width;
  return positions;
}

/** Sizes of a graph that is open in all sizes except the number of blocks. */
function openSizesFor(blocks: number): TrainingSizes {
  const { block, ...others } = STAND_INS;
  return { ...others, width: blocks * block, blocks, open: true };
}
