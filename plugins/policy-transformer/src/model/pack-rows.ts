import type { LossInputName, TrainingBatch } from '@agentgym/cli';

import type { HostArray } from '../operations/tensor.js';
import { queryBlocks } from './causal-mask.js';
import type { DecoderConfig } from './decoder-config.js';
import { askingInputs, mostAsking } from './asking-positions.js';
import { packSlots } from './packed-slots.js';
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
 * Packs the sampled tokens of some rows into slots, and pads the rows to equal length: see `packSlots`.
 * @param reads columns of the batch that a loss reads
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
  const { slots, indices, longest, inputs } = packSlots(batch, rows);
  const sizes = roundedSizes(
    { rows: rows.length, width: longest, slots: Math.max(1, slots.length), asks: mostAsking(slots) },
    unit,
  );
  const tokens = new Int32Array(sizes.rows * sizes.width);
  for (const [place, row] of rows.entries()) {
    const used = Math.min(longest, batch.length[row] ?? 0);
    tokens.set(batch.tokens.subarray(row * width, row * width + used), place * sizes.width);
  }
  return { sizes, inputs: { tokens, ...askingInputs(slots, sizes, config), ...inputs(sizes.slots, reads) }, indices };
}

/** Smaller steps would give small batches almost as many shapes as sizes. */
const SMALLEST_STEP = 8;

/** Sizes, with the number of blocks. */
export type RoundedSizes = Required<Omit<TrainingSizes, 'open'>>;

/**
 * Sizes rounded up by at most an eighth. They depend only on the batch. So there are few shapes to plan memory for, and
 * little is wasted.
 */
export function roundedSizes(sizes: Omit<RoundedSizes, 'blocks'>, unit: 1 | 2 = 1): RoundedSizes {
  const width = roundUp(sizes.width, SMALLEST_STEP);
  return {
    rows: roundUp(sizes.rows, unit),
    width,
    slots: roundUp(sizes.slots, SMALLEST_STEP),
    asks: roundUp(sizes.asks, SMALLEST_STEP),
    blocks: queryBlocks(width),
  };
}

function roundUp(size: number, smallest: number): number {
  const step = Math.max(smallest, 2 ** (Math.floor(Math.log2(size)) - 3));
  return Math.ceil(size / step) * step;
}
