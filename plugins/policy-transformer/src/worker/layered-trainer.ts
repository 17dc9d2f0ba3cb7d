import type { Loss, TrainingBatch } from '@agentgym/cli';

import { ExecutableCache } from '../executors/executable-cache.js';
import type { Executor, HostArrays } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import type { ModelWeights } from '../generation/token-generator.js';
import { causalMask } from '../model/causal-mask.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import {
  embeddingGradientPart,
  embeddingPart,
  headGradientPart,
  headPart,
  LAYER,
  layerGradientPart,
  layerPart,
  lossPart,
  type GraphPart,
} from '../model/layered-graphs.js';
import { packRows, type PackedRows } from '../model/pack-rows.js';
import { EMBEDDING, type ParameterOptions } from '../model/parameters.js';
import { gradientState, metricOutput, termOutput } from '../model/training-graph.js';
import type { HostArray } from '../operations/tensor.js';
import { cutMicroBatches, trainedUnits } from './batch-rows.js';
import { lossTraits } from './loss-key.js';
import {
  emptyResults,
  rowPositions,
  spread,
  zeros,
  type Accumulated,
  type BatchTrainer,
  type Evaluated,
} from './trainer.js';

/** Slots whose logits are computed together: [slots, vocabulary] must stay small, and products large. */
export const SLOTS_OF_HEAD = 128;

/** Primes that represent the open sizes of the graphs. */
const ROWS = 100_003;
const BLOCK = 100_019;
const SLOTS = 100_043;
const COUNT = 100_049;

const SESSIONS = 16;

type Arrays = { readonly [name: string]: HostArray };

/** One micro-batch on its way through the model. */
interface Pass {
  readonly packed: PackedRows;
  readonly weights: ModelWeights;
  /** The input of every layer, and the output of the last. */
  readonly states: readonly Float32Array[];
  /** [slots, hidden] outputs of the last layer at the positions before sampled tokens. */
  readonly asked: Float32Array;
}

/**
 * Trains a large model layer by layer. A micro-batch holds the inputs of the layers; everything else is computed again
 * in the backward pass. (Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost".) The logits of 128 slots
 * exist at a time.
 */
export class LayeredTrainer implements BatchTrainer {
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

  async evaluate(weights: ModelWeights, batch: TrainingBatch): Promise<Evaluated> {
    const results = emptyResults(batch, this.#options);
    for (const rows of this.#microBatches(batch, 1)) {
      const pass = await this.#forward(weights, packRows(batch, rows, this.#group));
      spread(results, pass.packed, await this.#live(pass));
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
      const pass = await this.#forward(weights, packRows(batch, rows, this.#group, traits.reads, unit));
      const live = await this.#live(pass);
      spread(results, pass.packed, live);
      const outputs = await this.#loss(loss, pass, live);
      for (const name of Object.keys(terms)) terms[name]! += outputs[termOutput(name)]![0]!;
      for (const name of Object.keys(metrics)) metrics[name]! += outputs[metricOutput(name)]![0]!;
      await this.#backward(pass, outputs, gradients);
    }
    return { ...results, terms, metrics };
  }

  async dispose(): Promise<void> {
    await this.#sessions.dispose();
  }

  /** Queries that share a key. */
  get #group(): number {
    return this.#config.heads / this.#config.keyValueHeads;
  }

  #microBatches(batch: TrainingBatch, unit: 1 | 2): number[][] {
    return cutMicroBatches(batch, trainedUnits(batch, unit), this.#microBatchTokens);
  }

  async #forward(weights: ModelWeights, packed: PackedRows): Promise<Pass> {
    const tokens = packed.inputs['tokens']!;
    const state = stateOf(weights);
    const embed = await this.#session('embed', () => embeddingPart(this.#config, COUNT), { count: COUNT });
    const { hidden: first } = await embed.run({ tokens }, { sizes: { count: tokens.length }, state });
    const states = [first as Float32Array];
    for (let layer = 0; layer < this.#config.layers; layer += 1) {
      const { hidden } = await this.#layer('forward', packed, layer, { hidden: states[layer]! }, state);
      states.push(hidden as Float32Array);
    }
    return { packed, weights, states, asked: takeRows(states.at(-1)!, placesOfSlots(packed), this.#config.hiddenSize) };
  }

  /** Runs one layer, forward or backward. */
  async #layer(
    direction: 'forward' | 'backward',
    { sizes: { rows, width, blocks } }: PackedRows,
    layer: number,
    inputs: HostArrays,
    state: readonly State[],
  ): Promise<Arrays> {
    const part = direction === 'forward' ? layerPart : layerGradientPart;
    const session = await this.#session(
      `${direction} ${blocks}`,
      () => part(this.#config, this.#options, { rows: ROWS, width: blocks * BLOCK, blocks }),
      { rows: ROWS, block: BLOCK },
    );
    const shaped = { positions: rowPositions(rows, width), bias: causalMask(width, this.#group, blocks) };
    const sizes = { rows, block: width / blocks };
    const rename = (name: string) => name.replace(LAYER, `model.layers.${layer}.`);
    const renamed = state.map((each) => each.renamed(rename));
    return session.run({ ...inputs, ...shaped }, { sizes, state: renamed });
  }

  /** Log probability, entropy and value of every slot. */
  async #live({ packed, weights, asked }: Pass): Promise<Arrays> {
    const session = await this.#session('head', () => headPart(this.#config, this.#options, SLOTS), { slots: SLOTS });
    const parts: Arrays[] = [];
    for (const { range, inputs } of this.#chunks(packed, asked)) {
      const sizes = { slots: range.end - range.start };
      parts.push(await session.run(inputs, { sizes, state: stateOf(weights) }));
    }
    return joinArrays(parts);
  }

  /** The slots in parts, with the inputs of the head. */
  *#chunks({ sizes: { slots }, inputs }: PackedRows, asked: Float32Array) {
    const { hiddenSize } = this.#config;
    for (let start = 0; start < slots; start += SLOTS_OF_HEAD) {
      const end = Math.min(slots, start + SLOTS_OF_HEAD);
      yield {
        range: { start, end },
        inputs: {
          hidden: asked.subarray(start * hiddenSize, end * hiddenSize),
          targets: inputs['targets']!.subarray(start, end),
          inverseTemperature: inputs['inverseTemperature']!,
        },
      };
    }
  }

  async #loss(loss: Loss, { packed: { sizes, inputs } }: Pass, live: Arrays): Promise<Arrays> {
    const { key, readsRows } = lossTraits(loss);
    const rows = readsRows ? sizes.rows : ROWS;
    const session = await this.#session(
      `loss ${readsRows ? rows : ''} ${key}`,
      () => lossPart(loss, this.#options, { rows, slots: SLOTS }),
      { slots: SLOTS },
    );
    return session.run({ ...inputs, ...live }, { sizes: { slots: sizes.slots } });
  }

  async #backward({ packed, weights, states, asked }: Pass, slopes: Arrays, gradients: State): Promise<void> {
    const { hiddenSize, layers } = this.#config;
    const state = [...stateOf(weights), gradients];
    const head = await this.#session('head backward', () => headGradientPart(this.#config, this.#options, SLOTS), {
      slots: SLOTS,
    });
    const parts: Arrays[] = [];
    for (const { range, inputs } of this.#chunks(packed, asked)) {
      const given = Object.fromEntries(
        Object.entries(slopes)
          .filter(([name]) => name.startsWith('slope.'))
          .map(([name, data]) => [name, data.subarray(range.start, range.end)]),
      );
      const sizes = { slots: range.end - range.start };
      parts.push(await head.run({ ...inputs, ...given }, { sizes, state }));
    }
    let slope = new Float32Array(states[0]!.length);
    addRows(slope, placesOfSlots(packed), joinArrays(parts)['slope'] as Float32Array, hiddenSize);
    for (let layer = layers - 1; layer >= 0; layer -= 1) {
      const outputs = await this.#layer('backward', packed, layer, { hidden: states[layer]!, slope }, state);
      slope = outputs['slope'] as Float32Array<ArrayBuffer>;
    }
    if (!gradients.has(gradientState(EMBEDDING))) return;
    const embed = await this.#session('embed backward', () => embeddingGradientPart(this.#config, COUNT), {
      count: COUNT,
    });
    const tokens = packed.inputs['tokens']!;
    await embed.run({ tokens, slope }, { sizes: { count: tokens.length }, state });
  }

  #session(key: string, build: () => GraphPart, openSizes: { readonly [name: string]: number }) {
    return this.#sessions.get(key, () => {
      const { outputs, gradients } = build();
      return { outputs, ...(gradients && { add: gradients }), openSizes };
    });
  }
}

function stateOf({ trainable, frozen }: ModelWeights): State[] {
  return frozen ? [trainable, frozen] : [trainable];
}

/** For each slot, the index of the position that predicts it into [rows * width]. */
function placesOfSlots({ inputs }: PackedRows): Int32Array {
  const asked = inputs['asked'] as Int32Array;
  return (inputs['askOfSlot'] as Int32Array).map((ask) => asked[ask]!);
}

function takeRows(from: Float32Array, places: Int32Array, size: number): Float32Array {
  const rows = new Float32Array(places.length * size);
  for (const [row, place] of places.entries()) rows.set(from.subarray(place * size, (place + 1) * size), row * size);
  return rows;
}

/** Adds rows at their places. Spare slots have the place of another slot and a slope of 0. */
function addRows(to: Float32Array, places: Int32Array, rows: Float32Array, size: number): void {
  for (const [row, place] of places.entries()) {
    for (let index = 0; index < size; index += 1) to[place * size + index]! += rows[row * size + index]!;
  }
}

/** Arrays of the same names, one after the other. */
function joinArrays(parts: readonly Arrays[]): Arrays {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first ?? {};
  return Object.fromEntries(
    Object.keys(first).map((name) => {
      const whole = new Float32Array(parts.reduce((sum, part) => sum + part[name]!.length, 0));
      let offset = 0;
      for (const part of parts) {
        whole.set(part[name]!, offset);
        offset += part[name]!.length;
      }
      return [name, whole];
    }),
  );
}
