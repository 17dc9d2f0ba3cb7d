import type { LiveName, LossInputName, TrainingBatch } from '@agentgym/cli';

import type { Executor, HostArrays } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import { statesOf, type ModelWeights } from '../generation/token-generator.js';
import { attentionKindOf, type DecoderConfig } from '../model/decoder-config.js';
import {
  embeddingGradientPart,
  embeddingPart,
  headDirectionsPart,
  headGradientPart,
  headPart,
  keptBytes,
  layerGradientPart,
  layerPart,
  namesOfLayer,
  lossPart,
  trainsHead,
  type GraphPart,
} from '../model/layered-graphs.js';
import { packTokens, type PackedTokens } from '../model/pack-tokens.js';
import { EMBEDDING, type ParameterOptions } from '../model/parameters.js';
import { rotaryTables } from '../model/rotary-tables.js';
import { gradientState } from '../model/training-graph.js';
import { cutByTokens } from './batch-rows.js';
import { BatchTrainer, type Outputs, type Training } from './batch-trainer.js';
import type { LossUnit } from './loss-key.js';

/** Slots whose logits are computed together: [slots, vocabulary] must stay small, and products large. */
export const SLOTS_OF_HEAD = 128;

/** Primes that represent the open sizes of the graphs. */
const ROWS = 100_003;
const EPISODES = 100_103;
const BLOCK = 100_019;
const SLOTS = 100_043;
const TOKENS = 100_049;
const QUERIES = 100_057;
const USES = 100_069;

export interface LayeredLimits {
  /** Most tokens of a micro-batch. */
  readonly microBatchTokens: number;
  /** Memory for what layers keep for the backward pass. */
  readonly activationBytes: number;
}

/** One micro-batch on its way through the model. */
interface Pass {
  readonly packed: PackedTokens;
  readonly weights: ModelWeights;
  /** What the layers of each kind of attention read beside hidden states and weights. */
  readonly attention: readonly HostArrays[];
  /** The input of every layer, and the output of the last. */
  readonly states: readonly Float32Array[];
  /** What each layer kept. */
  readonly kept: (HostArrays | undefined)[];
  /** [slots, hidden] outputs of the last layer at the tokens before sampled ones. */
  readonly asked: Float32Array;
}

/**
 * Trains a large model layer by layer. A micro-batch holds the inputs of the layers, and what the last layers keep while
 * memory lasts. Everything else is computed again in the backward pass. (Chen et al. 2016, "Training Deep Nets with
 * Sublinear Memory Cost".) The logits of 128 slots exist at a time.
 */
export class LayeredTrainer extends BatchTrainer<PackedTokens> {
  protected readonly trainsAtOnce = false;
  readonly #limits: LayeredLimits;
  readonly #trainsHead: boolean;

  constructor(executor: Executor, config: DecoderConfig, options: ParameterOptions, limits: LayeredLimits) {
    super(executor, config, options);
    this.#limits = limits;
    this.#trainsHead = trainsHead(config, options);
  }

  protected cut(batch: TrainingBatch, units: readonly number[][]): readonly number[][] {
    return cutByTokens(batch, units, this.#limits.microBatchTokens);
  }

  protected pack(batch: TrainingBatch, rows: readonly number[], reads: readonly LossInputName[], unit: LossUnit) {
    return packTokens(batch, rows, this.config, reads, unit === 'pair' ? 2 : 1);
  }

  protected async evaluateRows(weights: ModelWeights, packed: PackedTokens): Promise<Outputs> {
    return this.#live(await this.#forward(weights, packed, 0));
  }

  protected async trainRows(weights: ModelWeights, packed: PackedTokens, training: Training): Promise<Outputs> {
    const bytes = keptBytes(this.config, this.options) * packed.sizes.tokens;
    const pass = await this.#forward(weights, packed, Math.floor(this.#limits.activationBytes / bytes));
    const directed = training.traits.live.filter((name) => name !== 'value');
    const live = this.#trainsHead ? await this.#live(pass) : await this.#directions(pass, directed);
    const outputs = await this.#loss(training, packed, live);
    const slope = this.#trainsHead
      ? await this.#headSlope(pass, outputs, training.gradients)
      : combineDirections(directed, outputs, live, this.config.hiddenSize);
    await this.#backward(pass, slope, training.gradients);
    return { ...outputs, ...live };
  }

  /** @param keeping the number of layers, at the end, that keep what the backward pass needs */
  async #forward(weights: ModelWeights, packed: PackedTokens, keeping: number): Promise<Pass> {
    const { tokens, predicting, sizes } = packed;
    const { layers, hiddenSize } = this.config;
    const attention = this.config.attentionKinds.map(({ rope, window }) => ({
      ...rotaryTables(this.config, rope, packed.attention.width),
      bias: packed.attention.mask(this.group, window),
    }));
    const state = statesOf(weights);
    const embed = await this.#session('embed', () => embeddingPart(this.config, TOKENS), { tokens: TOKENS });
    const { hidden: first } = await embed.run({ tokens }, { sizes: { tokens: sizes.tokens }, state });
    const states = [first as Float32Array];
    const kept: (HostArrays | undefined)[] = [];
    for (let layer = 0; layer < layers; layer += 1) {
      const keeps = layer >= layers - keeping;
      const { hidden, ...inside } = await this.#layer(
        { direction: 'forward', keeps, layer },
        { packed, attention },
        { hidden: states[layer]! },
        state,
      );
      states.push(hidden as Float32Array);
      kept.push(keeps ? inside : undefined);
    }
    return { packed, weights, attention, states, kept, asked: takeRows(states.at(-1)!, predicting, hiddenSize) };
  }

  /** Runs one layer, forward or backward. */
  async #layer(
    { direction, keeps, layer }: { direction: 'forward' | 'backward'; keeps: boolean; layer: number },
    { packed, attention }: Pick<Pass, 'packed' | 'attention'>,
    inputs: HostArrays,
    state: readonly State[],
  ): Promise<Outputs> {
    const { positions } = packed;
    const { rows, width, blocks, shared, places } = packed.attention;
    const part = direction === 'forward' ? layerPart : layerGradientPart;
    const sizes = { tokens: TOKENS, rows: ROWS, width: blocks * BLOCK, blocks };
    const ofShared = { queries: QUERIES, uses: USES };
    const session = await this.#session(
      `${direction} ${shared ? 'shared' : blocks} ${keeps}`,
      () => part(this.config, this.options, shared ? { ...sizes, shared: ofShared } : sizes, keeps),
      { tokens: TOKENS, rows: ROWS, block: BLOCK, ...(shared && ofShared) },
    );
    const shaped = { positions, ...places, ...attention[attentionKindOf(this.config, layer)]! };
    const renamed = state.map((each) => each.renamed(namesOfLayer(layer)));
    const found = { tokens: packed.sizes.tokens, rows, block: width / blocks, ...shared };
    return session.run({ ...inputs, ...shaped }, { sizes: found, state: renamed });
  }

  /** Log probability, entropy and value of every slot. */
  #live(pass: Pass): Promise<Outputs> {
    return this.#head(pass, 'head', () => headPart(this.config, this.options, SLOTS));
  }

  /** Log probability and entropy of every slot, and the derivatives of those that a loss reads. */
  #directions(pass: Pass, names: readonly ('logprob' | 'entropy')[]): Promise<Outputs> {
    return this.#head(pass, `head ${names.join()}`, () => headDirectionsPart(this.config, SLOTS, names));
  }

  /**
   * Runs a part of the head on the slots, some at a time.
   * @param given inputs with a number per slot
   */
  async #head(
    { packed: { sizes, inputs }, weights, asked }: Pass,
    name: string,
    build: () => GraphPart,
    given: Outputs = {},
    changed: readonly State[] = [],
  ): Promise<Outputs> {
    const { hiddenSize } = this.config;
    const session = await this.#session(name, build, { slots: SLOTS });
    const state = [...statesOf(weights), ...changed];
    const perSlot = { targets: inputs['targets']!, ...given };
    const parts: Outputs[] = [];
    for (let start = 0; start < sizes.slots; start += SLOTS_OF_HEAD) {
      const end = Math.min(sizes.slots, start + SLOTS_OF_HEAD);
      const part = Object.entries(perSlot).map(([key, data]) => [key, data.subarray(start, end)] as const);
      const hidden = asked.subarray(start * hiddenSize, end * hiddenSize);
      const { inverseTemperature } = inputs;
      parts.push(
        await session.run(
          { ...Object.fromEntries(part), hidden, inverseTemperature: inverseTemperature! },
          { sizes: { slots: end - start }, state },
        ),
      );
    }
    return joinArrays(parts);
  }

  async #loss({ loss, traits }: Training, { sizes, inputs }: PackedTokens, live: Outputs): Promise<Outputs> {
    const { key, unit } = traits;
    const episodes = unit === 'row' ? EPISODES : sizes.episodes;
    const session = await this.#session(
      `loss ${unit === 'row' ? '' : episodes} ${key}`,
      () => lossPart(loss, this.options, { episodes, slots: SLOTS }),
      { slots: SLOTS },
    );
    return session.run({ ...inputs, ...live }, { sizes: { slots: sizes.slots } });
  }

  /** Computes the head again for its gradients. Returns the derivatives by its input, [slots, hidden]. */
  async #headSlope(pass: Pass, outputs: Outputs, gradients: State): Promise<Float32Array> {
    const slopes = Object.fromEntries(Object.entries(outputs).filter(([name]) => name.startsWith('slope.')));
    const build = () => headGradientPart(this.config, this.options, SLOTS);
    const { slope } = await this.#head(pass, 'head backward', build, slopes, [gradients]);
    return slope as Float32Array;
  }

  /** @param askedSlope derivatives by `asked` */
  async #backward(
    { packed, weights, attention, states, kept }: Pass,
    askedSlope: Float32Array,
    gradients: State,
  ): Promise<void> {
    const { hiddenSize, layers } = this.config;
    const state = [...statesOf(weights), gradients];
    let slope = new Float32Array(states[0]!.length);
    addRows(slope, packed.predicting, askedSlope, hiddenSize);
    for (let layer = layers - 1; layer >= 0; layer -= 1) {
      const inside = kept[layer];
      const outputs = await this.#layer(
        { direction: 'backward', keeps: inside !== undefined, layer },
        { packed, attention },
        { ...inside, hidden: states[layer]!, slope },
        state,
      );
      kept[layer] = undefined;
      slope = outputs['slope'] as Float32Array<ArrayBuffer>;
    }
    if (!gradients.has(gradientState(EMBEDDING))) return;
    const embed = await this.#session('embed backward', () => embeddingGradientPart(this.config, TOKENS), {
      tokens: TOKENS,
    });
    await embed.run({ tokens: packed.tokens, slope }, { sizes: { tokens: packed.sizes.tokens }, state });
  }

  #session(key: string, build: () => GraphPart, openSizes: { readonly [name: string]: number }) {
    return this.sessions.get(key, () => {
      const { outputs, gradients } = build();
      return { outputs, ...(gradients && { add: gradients }), openSizes };
    });
  }
}

/** Derivatives of a loss by the input of the head, [slots, hidden]: those by the live quantities, times theirs. */
function combineDirections(names: readonly LiveName[], slopes: Outputs, live: Outputs, size: number): Float32Array {
  const sum = new Float32Array(live['logprob']!.length * size);
  for (const name of names) {
    const [factors, directions] = [slopes[`slope.${name}`]!, live[`direction.${name}`]!];
    for (let index = 0; index < sum.length; index += 1) {
      sum[index]! += factors[Math.floor(index / size)]! * directions[index]!;
    }
  }
  return sum;
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
