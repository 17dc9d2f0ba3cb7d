import type { HostArrays } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import type { ModelWeights } from '../generation/token-generator.js';
import { causalMask } from '../model/causal-mask.js';
import { attentionKindOf } from '../model/decoder-config.js';
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
import type { PackedRows } from '../model/pack-rows.js';
import { EMBEDDING } from '../model/parameters.js';
import { rotaryTables } from '../model/rotary-tables.js';
import { gradientState } from '../model/training-graph.js';
import { BatchTrainer, statesOf, type Outputs, type Training } from './batch-trainer.js';

/** Slots whose logits are computed together: [slots, vocabulary] must stay small, and products large. */
export const SLOTS_OF_HEAD = 128;

/** Primes that represent the open sizes of the graphs. */
const ROWS = 100_003;
const BLOCK = 100_019;
const SLOTS = 100_043;
const COUNT = 100_049;

/** One micro-batch on its way through the model. */
interface Pass {
  readonly packed: PackedRows;
  readonly weights: ModelWeights;
  /** What the layers of each kind of attention read beside hidden states and weights. */
  readonly attention: readonly HostArrays[];
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
export class LayeredTrainer extends BatchTrainer {
  protected async evaluateRows(weights: ModelWeights, packed: PackedRows): Promise<Outputs> {
    return this.#live(await this.#forward(weights, packed));
  }

  protected async trainRows(weights: ModelWeights, packed: PackedRows, training: Training): Promise<Outputs> {
    const pass = await this.#forward(weights, packed);
    const live = await this.#live(pass);
    const outputs = await this.#loss(training, pass, live);
    await this.#backward(pass, outputs, training.gradients);
    return { ...outputs, ...live };
  }

  async #forward(weights: ModelWeights, packed: PackedRows): Promise<Pass> {
    const tokens = packed.inputs['tokens']!;
    const { width, blocks } = packed.sizes;
    const attention = this.config.attentionKinds.map(({ rope, window }) => ({
      ...rotaryTables(this.config, rope, width),
      bias: causalMask(width, this.group, blocks, window),
    }));
    const pass = { packed, weights, attention };
    const state = statesOf(weights);
    const embed = await this.#session('embed', () => embeddingPart(this.config, COUNT), { count: COUNT });
    const { hidden: first } = await embed.run({ tokens }, { sizes: { count: tokens.length }, state });
    const states = [first as Float32Array];
    for (let layer = 0; layer < this.config.layers; layer += 1) {
      const { hidden } = await this.#layer('forward', pass, layer, { hidden: states[layer]! }, state);
      states.push(hidden as Float32Array);
    }
    return { ...pass, states, asked: takeRows(states.at(-1)!, placesOfSlots(packed), this.config.hiddenSize) };
  }

  /** Runs one layer, forward or backward. */
  async #layer(
    direction: 'forward' | 'backward',
    { packed, attention }: Pick<Pass, 'packed' | 'attention'>,
    layer: number,
    inputs: HostArrays,
    state: readonly State[],
  ): Promise<Outputs> {
    const { rows, width, blocks } = packed.sizes;
    const part = direction === 'forward' ? layerPart : layerGradientPart;
    const session = await this.#session(
      `${direction} ${blocks}`,
      () => part(this.config, this.options, { rows: ROWS, width: blocks * BLOCK, blocks }),
      { rows: ROWS, block: BLOCK },
    );
    const ofKind = attention[attentionKindOf(this.config, layer)]!;
    const sizes = { rows, block: width / blocks };
    const rename = (name: string) => name.replace(LAYER, `model.layers.${layer}.`);
    const renamed = state.map((each) => each.renamed(rename));
    return session.run({ ...inputs, ...ofKind }, { sizes, state: renamed });
  }

  /** Log probability, entropy and value of every slot. */
  async #live({ packed, weights, asked }: Pass): Promise<Outputs> {
    const session = await this.#session('head', () => headPart(this.config, this.options, SLOTS), { slots: SLOTS });
    const parts: Outputs[] = [];
    for (const { range, inputs } of this.#chunks(packed, asked)) {
      const sizes = { slots: range.end - range.start };
      parts.push(await session.run(inputs, { sizes, state: statesOf(weights) }));
    }
    return joinArrays(parts);
  }

  /** The slots in parts, with the inputs of the head. */
  *#chunks({ sizes: { slots }, inputs }: PackedRows, asked: Float32Array) {
    const { hiddenSize } = this.config;
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

  async #loss({ loss, traits }: Training, { packed: { sizes, inputs } }: Pass, live: Outputs): Promise<Outputs> {
    const { key, readsRows } = traits;
    const rows = readsRows ? sizes.rows : ROWS;
    const session = await this.#session(
      `loss ${readsRows ? rows : ''} ${key}`,
      () => lossPart(loss, this.options, { rows, slots: SLOTS }),
      { slots: SLOTS },
    );
    return session.run({ ...inputs, ...live }, { sizes: { slots: sizes.slots } });
  }

  async #backward(pass: Pass, slopes: Outputs, gradients: State): Promise<void> {
    const { packed, weights, states, asked } = pass;
    const { hiddenSize, layers } = this.config;
    const state = [...statesOf(weights), gradients];
    const head = await this.#session('head backward', () => headGradientPart(this.config, this.options, SLOTS), {
      slots: SLOTS,
    });
    const parts: Outputs[] = [];
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
      const outputs = await this.#layer('backward', pass, layer, { hidden: states[layer]!, slope }, state);
      slope = outputs['slope'] as Float32Array<ArrayBuffer>;
    }
    if (!gradients.has(gradientState(EMBEDDING))) return;
    const embed = await this.#session('embed backward', () => embeddingGradientPart(this.config, COUNT), {
      count: COUNT,
    });
    const tokens = packed.inputs['tokens']!;
    await embed.run({ tokens, slope }, { sizes: { count: tokens.length }, state });
  }

  #session(key: string, build: () => GraphPart, openSizes: { readonly [name: string]: number }) {
    return this.sessions.get(key, () => {
      const { outputs, gradients } = build();
      return { outputs, ...(gradients && { add: gradients }), openSizes };
    });
  }
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

/** Outputs of the same names, one after the other. */
function joinArrays(parts: readonly Outputs[]): Outputs {
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
