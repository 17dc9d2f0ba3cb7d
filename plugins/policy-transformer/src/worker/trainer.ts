import type { Loss, TrainingBatch } from '@agentgym/cli';

import { ExecutableCache } from '../executors/executable-cache.js';
import type { Executable, Executor, HostArrays } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import type { ModelWeights } from '../generation/token-generator.js';
import { causalMask } from '../model/causal-mask.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { packRows, type PackedRows, type RoundedSizes } from '../model/pack-rows.js';
import type { ParameterOptions } from '../model/parameters.js';
import {
  evaluationGraph,
  metricOutput,
  termOutput,
  trainingGraph,
  type TrainingSizes,
} from '../model/training-graph.js';
import type { HostArray } from '../operations/tensor.js';
import { cutMicroBatches, trainedUnits } from './batch-rows.js';
import { lossTraits } from './loss-key.js';

/** Per token [rows, width], 0 for tokens that were not sampled. */
export interface Evaluated {
  readonly logprobs: Float64Array;
  readonly entropy: Float64Array;
  readonly values?: Float64Array;
}

/** Computes batches, in micro-batches. */
export interface BatchTrainer {
  /** Log probability, entropy and value of the sampled tokens. */
  evaluate(weights: ModelWeights, batch: TrainingBatch): Promise<Evaluated>;
  /** Like `evaluate`, and adds the gradient of the loss to `gradients` (see `gradientState`). */
  accumulate(weights: ModelWeights, gradients: State, batch: TrainingBatch, loss: Loss): Promise<Accumulated>;
  dispose(): Promise<void>;
}

export interface Accumulated extends Evaluated {
  readonly terms: { readonly [name: string]: number };
  readonly metrics: { readonly [name: string]: number };
}

/** Primes that represent the open sizes of the graphs. */
const STAND_INS = { rows: 100_003, block: 100_019, slots: 100_043, asks: 100_049 };

/** Most sessions: one for each loss of the stages and number of blocks, perhaps for a few numbers of rows. */
const SESSIONS = 16;

/**
 * Runs training and evaluation graphs over batches, in micro-batches. A session of a loss serves all shapes with the
 * same number of blocks.
 */
export class Trainer implements BatchTrainer {
  readonly #config: DecoderConfig;
  readonly #options: ParameterOptions;
  readonly #microBatchTokens: number;
  readonly #sessions: ExecutableCache;

  constructor(executor: Executor, config: DecoderConfig, options: ParameterOptions, microBatchTokens: number) {
    this.#config = config;
    this.#options = options;
    this.#microBatchTokens = microBatchTokens;
    this.#sessions = new ExecutableCache(executor, SESSIONS);
  }

  /** Queries that share a key. */
  get #group(): number {
    return this.#config.heads / this.#config.keyValueHeads;
  }

  async evaluate(weights: ModelWeights, batch: TrainingBatch): Promise<Evaluated> {
    const results = emptyResults(batch, this.#options);
    for (const rows of this.#microBatches(batch, 1)) {
      const packed = packRows(batch, rows, this.#group);
      const { blocks } = packed.sizes;
      const session = await this.#sessions.get(`evaluate ${blocks}`, () => ({
        outputs: evaluationGraph(this.#config, openSizesFor(blocks), this.#options),
        openSizes: STAND_INS,
      }));
      spread(results, packed, await this.#run(session, weights, packed));
    }
    return results;
  }

  async accumulate(weights: ModelWeights, gradients: State, batch: TrainingBatch, loss: Loss): Promise<Accumulated> {
    const traits = lossTraits(loss);
    const unit = traits.readsPairs ? 2 : 1;
    const results = emptyResults(batch, this.#options);
    const terms = zeros(loss.terms);
    const metrics = zeros(loss.metrics ?? {});
    for (const rows of this.#microBatches(batch, unit)) {
      const packed = packRows(batch, rows, this.#group, traits.reads, unit);
      const session = await this.#training(loss, traits, packed.sizes);
      const outputs = await this.#run(session, weights, packed, [gradients]);
      spread(results, packed, outputs);
      for (const name of Object.keys(terms)) terms[name]! += outputs[termOutput(name)]![0]!;
      for (const name of Object.keys(metrics)) metrics[name]! += outputs[metricOutput(name)]![0]!;
    }
    return { ...results, terms, metrics };
  }

  async dispose(): Promise<void> {
    await this.#sessions.dispose();
  }

  #microBatches(batch: TrainingBatch, unit: 1 | 2): number[][] {
    return cutMicroBatches(batch, trainedUnits(batch, unit), this.#microBatchTokens);
  }

  async #training(loss: Loss, { key, readsRows }: { key: string; readsRows: boolean }, { rows, blocks }: RoundedSizes) {
    const { rows: _, ...others } = STAND_INS;
    const openSizes = readsRows ? others : STAND_INS;
    return this.#sessions.get(`train ${readsRows ? rows : ''} ${blocks} ${key}`, () => {
      const sizes = { ...openSizesFor(blocks), ...(readsRows && { rows }) };
      const { outputs, gradients } = trainingGraph(this.#config, sizes, this.#options, loss);
      return { outputs, add: gradients, openSizes };
    });
  }

  async #run(
    session: Executable,
    { trainable, frozen }: ModelWeights,
    { sizes, inputs }: PackedRows,
    changed: readonly State[] = [],
  ): Promise<{ readonly [name: string]: HostArray }> {
    const { rows, width, slots, asks, blocks } = sizes;
    const shaped: HostArrays = {
      positions: rowPositions(rows, width),
      bias: causalMask(width, this.#group, blocks),
    };
    return session.run(
      { ...inputs, ...shaped },
      {
        sizes: { rows, block: width / blocks, slots, asks },
        state: [trainable, ...(frozen ? [frozen] : []), ...changed],
      },
    );
  }
}

/** Results of a batch, still all 0. */
export function emptyResults({ rows, width }: TrainingBatch, { valueHead }: ParameterOptions): Evaluated {
  const array = () => new Float64Array(rows * width);
  return { logprobs: array(), entropy: array(), ...(valueHead ? { values: array() } : {}) };
}

export function zeros(names: object): { [name: string]: number } {
  return Object.fromEntries(Object.keys(names).map((name) => [name, 0]));
}

/** Sizes of a graph that is open in all sizes except the number of blocks. */
function openSizesFor(blocks: number): TrainingSizes {
  const { block, ...others } = STAND_INS;
  return { ...others, width: blocks * block, blocks, open: true };
}

/** int32 [rows, width]: 0, 1, ... in every row. */
export function rowPositions(rows: number, width: number): Int32Array {
  const positions = new Int32Array(rows * width);
  for (let index = 0; index < positions.length; index += 1) positions[index] = index % width;
  return positions;
}

/** Copies values from slots to the positions of their tokens. */
export function spread(
  { logprobs, entropy, values }: Evaluated,
  { indices }: PackedRows,
  outputs: { readonly [name: string]: HostArray },
): void {
  for (const [to, from] of [
    [logprobs, outputs['logprob']],
    [entropy, outputs['entropy']],
    [values, outputs['value']],
  ] as const) {
    if (to === undefined) continue;
    for (let slot = 0; slot < indices.length; slot += 1) to[indices[slot]!] = from![slot]!;
  }
}
