import type { Loss, LossInputName, TrainingBatch } from '@agentgym/cli';

import { ExecutableCache } from '../executors/executable-cache.js';
import type { Executor } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import type { ModelWeights } from '../generation/token-generator.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import type { ParameterOptions } from '../model/parameters.js';
import { metricOutput, termOutput } from '../model/training-graph.js';
import type { HostArray } from '../operations/tensor.js';
import { takeRows, trainedUnits, unitsOf } from './batch-rows.js';
import { lossTraits, type LossTraits, type LossUnit } from './loss-key.js';
import { halveIfTooMuch } from './out-of-memory.js';

/** Per token [rows, width], 0 for tokens that were not sampled. */
export interface Evaluated {
  readonly logprobs: Float64Array;
  readonly entropy: Float64Array;
  readonly values?: Float64Array;
}

export interface Accumulated extends Evaluated {
  readonly terms: { readonly [name: string]: number };
  readonly metrics: { readonly [name: string]: number };
}

/** Outputs of `evaluationGraph` or `trainingGraph`, by name. */
export type Outputs = { readonly [name: string]: HostArray };

/** A loss with its traits, and where its gradient goes. */
export interface Training {
  readonly loss: Loss;
  readonly traits: LossTraits;
  readonly gradients: State;
}

/** Most sessions: one for each loss of the stages and number of blocks, perhaps for a few numbers of rows. */
const SESSIONS = 16;

const CURE = 'Lower policy.options.microBatchTokens.';

/** Some rows of a batch as a trainer computes them. */
export interface MicroBatch {
  /** For each slot in use, the index of its token into [rows, width] of the batch. */
  readonly indices: Int32Array;
}

/** Computes batches, in micro-batches. How one micro-batch is computed differs between small and large models. */
export abstract class BatchTrainer<Packed extends MicroBatch = MicroBatch> {
  protected readonly config: DecoderConfig;
  protected readonly options: ParameterOptions;
  protected readonly sessions: ExecutableCache;

  constructor(executor: Executor, config: DecoderConfig, options: ParameterOptions) {
    this.config = config;
    this.options = options;
    this.sessions = new ExecutableCache(executor, SESSIONS);
  }

  /** Whether a micro-batch that fails has added nothing to the gradient. */
  protected abstract readonly trainsAtOnce: boolean;

  /** Distributes units of rows (see `trainedUnits`) among micro-batches. */
  protected abstract cut(batch: TrainingBatch, units: readonly number[][]): readonly number[][];

  /**
   * The inputs of some rows.
   * @param reads columns of the batch that a loss reads
   * @param unit what the loss reads
   */
  protected abstract pack(
    batch: TrainingBatch,
    rows: readonly number[],
    reads: readonly LossInputName[],
    unit: LossUnit,
  ): Packed;

  /** Log probability, entropy and value of the slots: the outputs of `evaluationGraph`. */
  protected abstract evaluateRows(weights: ModelWeights, packed: Packed): Promise<Outputs>;

  /** The outputs of `trainingGraph`. Adds the gradient of the loss. */
  protected abstract trainRows(weights: ModelWeights, packed: Packed, training: Training): Promise<Outputs>;

  /** Log probability, entropy and value of the sampled tokens. */
  async evaluate(weights: ModelWeights, batch: TrainingBatch): Promise<Evaluated> {
    const results = this.#empty(batch);
    for (const all of this.cut(batch, trainedUnits(batch, 'row'))) {
      await halveIfTooMuch(all, CURE, async (rows) => {
        const packed = this.pack(batch, rows, [], 'row');
        spread(results, packed, await this.evaluateRows(weights, packed));
      });
    }
    return results;
  }

  /** Like `evaluate`, and adds the gradient of the loss to `gradients` (see `gradientState`). */
  async accumulate(weights: ModelWeights, gradients: State, batch: TrainingBatch, loss: Loss): Promise<Accumulated> {
    const traits = lossTraits(loss);
    const { unit } = traits;
    const results = this.#empty(batch);
    const terms = zeros(loss.terms);
    const metrics = zeros(loss.metrics ?? {});
    const train = async (rows: readonly number[]) => {
      const packed = this.pack(batch, rows, traits.reads, unit);
      const outputs = await this.trainRows(weights, packed, { loss, traits, gradients });
      spread(results, packed, outputs);
      for (const name of Object.keys(terms)) terms[name]! += outputs[termOutput(name)]![0]!;
      for (const name of Object.keys(metrics)) metrics[name]! += outputs[metricOutput(name)]![0]!;
    };
    for (const rows of this.cut(batch, trainedUnits(batch, unit))) {
      const parts = this.trainsAtOnce ? unitsOf(takeRows(batch, rows), unit) : [rows.map((_, place) => place)];
      await halveIfTooMuch(parts, CURE, (some) => train(some.flat().map((place) => rows[place]!)));
    }
    return { ...results, terms, metrics };
  }

  /** The next batches have another loss. */
  endStage(): Promise<void> {
    return Promise.resolve();
  }

  async dispose(): Promise<void> {
    await this.sessions.dispose();
  }

  /** Queries that share a key. */
  protected get group(): number {
    return this.config.heads / this.config.keyValueHeads;
  }

  /** Results of a batch, still all 0. */
  #empty({ rows, width }: TrainingBatch): Evaluated {
    const array = () => new Float64Array(rows * width);
    return { logprobs: array(), entropy: array(), ...(this.options.valueHead ? { values: array() } : {}) };
  }
}

function zeros(names: object): { [name: string]: number } {
  return Object.fromEntries(Object.keys(names).map((name) => [name, 0]));
}

/** Copies values from slots to the positions of their tokens. */
function spread({ logprobs, entropy, values }: Evaluated, { indices }: MicroBatch, outputs: Outputs): void {
  for (const [to, from] of [
    [logprobs, outputs['logprob']],
    [entropy, outputs['entropy']],
    [values, outputs['value']],
  ] as const) {
    if (to === undefined) continue;
    for (let slot = 0; slot < indices.length; slot += 1) to[indices[slot]!] = from![slot]!;
  }
}
