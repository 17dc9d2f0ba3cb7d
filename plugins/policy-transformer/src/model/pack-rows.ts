import type { LossInputName, TrainingBatch } from '@agentgym/cli';

import type { HostArray } from '../operations/tensor.js';
import type { TrainingSizes } from './training-graph.js';

/** Rows of a batch as a graph takes them. */
export interface PackedRows {
  readonly sizes: TrainingSizes;
  /** Every input of `trainingGraph` and `evaluationGraph` but the parameters. */
  readonly inputs: { readonly [name: string]: HostArray };
  /** For each slot in use its index into the arrays of the batch, [rows, width]. */
  readonly indices: Int32Array;
}

/** Arrays of a batch with a number per token. */
const PER_TOKEN: readonly (Exclude<LossInputName, 'truncated'> | 'weight')[] = [
  'weight',
  'logprobs',
  'referenceLogprobs',
  'values',
  'advantages',
  'returns',
  'rewards',
];

/**
 * Packs the sampled tokens of some rows into slots: only they reach the head and the loss, and only the tokens before the last of them are looked at. What
 * stands elsewhere in the batch, NaN included, is not read. Throws where a sequence's very first token is sampled: nothing predicts it.
 */
export function packRows(batch: TrainingBatch, rows: readonly number[]): PackedRows {
  const { width } = batch;
  const indices = Int32Array.from(rows.flatMap((row) => sampledIndices(batch, row)));
  const rowAt = new Map(rows.map((row, place) => [row, place]));
  const rowOf = (index: number): number => rowAt.get(Math.floor(index / width)) ?? 0;
  const positionOf = (index: number): number => index % width;
  const longest = indices.reduce((most, index) => Math.max(most, positionOf(index)), 1);
  const sizes = roundedSizes({ rows: rows.length, width: longest, slots: Math.max(1, indices.length) });

  const tokens = new Int32Array(sizes.rows * sizes.width);
  for (const [place, row] of rows.entries()) {
    const used = Math.min(longest, batch.length[row] ?? 0);
    tokens.set(batch.tokens.subarray(row * width, row * width + used), place * sizes.width);
  }
  const perSlot = <Data extends Int32Array | Float32Array | Uint8Array>(
    data: Data,
    of: (index: number) => number,
  ): Data => {
    for (const [slot, index] of indices.entries()) data[slot] = of(index);
    return data;
  };
  const { slots } = sizes;
  const places = perSlot(new Int32Array(slots), (index) => rowOf(index) * sizes.width + positionOf(index) - 1);
  const slotOfPlace = new Int32Array(tokens.length).fill(slots);
  for (const slot of indices.keys()) slotOfPlace[places[slot] ?? 0] = slot;
  const inputs: { [name: string]: HostArray } = {
    tokens,
    places,
    slotOfPlace,
    targets: perSlot(new Int32Array(slots), (index) => batch.tokens[index] ?? 0),
    row: perSlot(new Int32Array(slots), rowOf),
    mask: perSlot(new Uint8Array(slots), () => 1),
    inverseTemperature: Float32Array.of(batch.temperature === 0 ? 1 : 1 / batch.temperature),
    truncated: perSlot(new Float32Array(slots), (index) => batch.truncated[Math.floor(index / width)] ?? 0),
  };
  for (const name of PER_TOKEN) {
    const array = batch[name];
    if (array) inputs[name] = perSlot(new Float32Array(slots), (index) => array[index] ?? 0);
  }
  return { sizes, inputs, indices };
}

function sampledIndices({ mask, width }: TrainingBatch, row: number): number[] {
  if (mask[row * width] === 1)
    throw new Error(`the first token of row ${row} is masked as sampled; nothing predicts it`);
  return Array.from({ length: width }, (_, position) => row * width + position).filter((index) => mask[index] === 1);
}

/** Sizes rounded up by at most an eighth, a function of the batch alone: few shapes to plan memory for, little to waste. An even number of rows, for pairs. */
export function roundedSizes({ rows, width, slots }: TrainingSizes): TrainingSizes {
  return { rows: roundUp(rows, 2), width: roundUp(width, 8), slots: roundUp(slots, 8) };
}

function roundUp(size: number, smallest: number): number {
  const step = Math.max(smallest, 2 ** (Math.floor(Math.log2(size)) - 3));
  return Math.ceil(size / step) * step;
}
