import type { LossInputName, TrainingBatch } from '@agentgym/cli';

import type { HostArray } from '../operations/tensor.js';
import { queryBlocks } from './causal-mask.js';
import type { DecoderConfig } from './decoder-config.js';
import { askingInputs, mostAsking, type RowPosition } from './asking-positions.js';
import type { TrainingSizes } from './training-graph.js';

/** Rows of a batch as inputs of a graph. */
export interface PackedRows {
  readonly sizes: RoundedSizes;
  /** Every input of `trainingGraph` and `evaluationGraph` except the parameters, `positions` and the causal masks. */
  readonly inputs: { readonly [name: string]: HostArray };
  /** For each used slot, its index into the arrays of the batch, [rows, width]. */
  readonly indices: Int32Array;
}

/**
 * Packs the sampled tokens of some rows into slots. Only these reach the head and the loss, and tokens after the last
 * of them have no effect. Other values of the batch, such as NaN, are not read. Throws if the first token of a sequence
 * is sampled, because no token predicts it.
 * @param reads columns of the batch that a loss reads; a column with a number per row is repeated for its tokens
 * @param unit the number of rows is a multiple of it: 2 if a loss compares rows in pairs
 */
export function packRows(
  batch: TrainingBatch,
  rows: readonly number[],
  config: DecoderConfig,
  reads: Iterable<LossInputName> = [],
  unit: 1 | 2 = 1,
): PackedRows {
  const { width } = batch;
  const slots = sampledSlots(batch, rows);
  const indices = Int32Array.from(slots, ({ row, position }) => rows[row]! * width + position);
  const longest = slots.reduce((most, { position }) => Math.max(most, position), 1);
  const sizes = roundedSizes(
    { rows: rows.length, width: longest, slots: Math.max(1, slots.length), asks: mostAsking(slots) },
    unit,
  );

  const tokens = new Int32Array(sizes.rows * sizes.width);
  for (const [place, row] of rows.entries()) {
    const used = Math.min(longest, batch.length[row] ?? 0);
    tokens.set(batch.tokens.subarray(row * width, row * width + used), place * sizes.width);
  }
  const inputs: { [name: string]: HostArray } = {
    tokens,
    ...askingInputs(slots, sizes, config),
    targets: pick(new Int32Array(sizes.slots), batch.tokens, indices),
    row: new Int32Array(sizes.slots),
    mask: new Uint8Array(sizes.slots).fill(1, 0, slots.length),
    inverseTemperature: Float32Array.of(batch.temperature === 0 ? 1 : 1 / batch.temperature),
  };
  for (const [slot, { row }] of slots.entries()) inputs['row']![slot] = row;
  for (const name of ['weight', ...reads] as const) {
    const column = batch[name];
    if (column === undefined) throw new Error(`the loss reads \`${name}\`, but the batch does not have it`);
    const isPerToken = column.length === batch.rows * width;
    const places = isPerToken ? indices : indices.map((index) => Math.floor(index / width));
    inputs[name] = pick(new Float32Array(sizes.slots), column, places);
  }
  return { sizes, inputs, indices };
}

/** The sampled tokens of these rows, in order. `row` is the index in the list. */
function sampledSlots({ mask, width }: TrainingBatch, rows: readonly number[]): RowPosition[] {
  const slots: RowPosition[] = [];
  for (const [place, row] of rows.entries()) {
    if (mask[row * width] === 1)
      throw new Error(`the first token of row ${row} is masked as sampled, but no token precedes it to predict it`);
    for (let position = 1; position < width; position += 1) {
      if (mask[row * width + position] === 1) slots.push({ row: place, position });
    }
  }
  return slots;
}

/** Copies the values at the indices; the rest of `into` does not change. */
function pick<Into extends Int32Array | Float32Array>(into: Into, from: ArrayLike<number>, indices: Int32Array): Into {
  for (let slot = 0; slot < indices.length; slot += 1) into[slot] = from[indices[slot]!]!;
  return into;
}

/** Sizes, with the number of blocks. */
export type RoundedSizes = Required<Omit<TrainingSizes, 'open'>>;

/**
 * Sizes rounded up by at most an eighth. They depend only on the batch. So there are few shapes to plan memory for, and
 * little is wasted.
 */
export function roundedSizes(sizes: Omit<RoundedSizes, 'blocks'>, unit: 1 | 2 = 1): RoundedSizes {
  const width = roundUp(sizes.width, 8);
  return {
    rows: roundUp(sizes.rows, unit),
    width,
    slots: roundUp(sizes.slots, 8),
    asks: roundUp(sizes.asks, 8),
    blocks: queryBlocks(width),
  };
}

function roundUp(size: number, smallest: number): number {
  const step = Math.max(smallest, 2 ** (Math.floor(Math.log2(size)) - 3));
  return Math.ceil(size / step) * step;
}
