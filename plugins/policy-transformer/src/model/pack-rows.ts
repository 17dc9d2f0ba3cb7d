import type { LossInputName, TrainingBatch } from '@agentgym/cli';

import type { HostArray } from '../operations/tensor.js';
import { askingInputs, mostAsking } from './asking-positions.js';
import { queryBlocks } from './causal-mask.js';
import type { DecoderConfig } from './decoder-config.js';
import { packSlots } from './packed-slots.js';
import { placeInputs } from './place-inputs.js';
import { placeApart, placeSequences, type PlacedSequences } from './place-rows.js';
import type { TrainingSizes } from './training-graph.js';

/** Rows of a batch as inputs of a graph. */
export interface PackedRows {
  readonly sizes: TrainingSizes;
  /** Every input of `trainingGraph` and `evaluationGraph` except the parameters. */
  readonly inputs: { readonly [name: string]: HostArray };
  /** For each used slot, its index into the arrays of the batch, [rows, width]. */
  readonly indices: Int32Array;
}

/**
 * Packs the sampled tokens of some rows into slots (see `packSlots`), and the sequences into rows of equal width: short
 * ones share a row.
 * @param reads columns of the batch that a loss reads
 * @param unit the number of sequences is a multiple of it: 2 if a loss compares them in pairs
 */
export function packRows(
  batch: TrainingBatch,
  rows: readonly number[],
  config: DecoderConfig,
  reads: Iterable<LossInputName> = [],
  unit: 1 | 2 = 1,
): PackedRows {
  const { slots, indices, lengths, longest, inputs } = packSlots(batch, rows);
  const { places, rows: count } = layOut(lengths, longest);
  const sizes = roundedSizes(
    {
      ...{ sequences: rows.length, rows: count, width: longest },
      ...{ slots: Math.max(1, slots.length), asks: mostAsking(slots, places) },
    },
    unit,
  );
  const { width } = sizes;
  const tokens = new Int32Array(sizes.rows * width);
  for (const [sequence, { row, start }] of places.entries()) {
    const from = rows[sequence]! * batch.width;
    tokens.set(batch.tokens.subarray(from, from + lengths[sequence]!), row * width + start);
  }
  return {
    sizes,
    inputs: {
      tokens,
      ...placeInputs({ places, lengths, rows: sizes.rows, width }, sizes.blocks, config),
      ...askingInputs(slots, places, sizes, config),
      ...inputs(sizes.slots, reads),
    },
    indices,
  };
}

/**
 * Places of sequences in rows as wide as the longest. Where queries are computed in blocks, each sequence has a row of
 * its own: a block sees a fixed number of keys, and masks of long rows would be large.
 */
export function layOut(lengths: readonly number[], longest: number): PlacedSequences {
  const width = roundedWidth(longest);
  return queryBlocks(width) === 1 ? placeSequences(lengths, width) : placeApart(lengths.length);
}

/** Smaller steps would give small batches almost as many shapes as sizes. */
const SMALLEST_STEP = 8;

/**
 * Sizes rounded up by at most an eighth, rows by a sixteenth. They depend only on the batch. So there are few shapes to
 * plan memory for, and little is wasted.
 */
export function roundedSizes(sizes: Omit<TrainingSizes, 'blocks'>, unit: 1 | 2 = 1): TrainingSizes {
  const width = roundedWidth(sizes.width);
  return {
    sequences: roundUp(sizes.sequences, unit),
    rows: roundUp(sizes.rows, 1, 16),
    width,
    slots: roundUp(sizes.slots, SMALLEST_STEP),
    asks: roundUp(sizes.asks, SMALLEST_STEP),
    blocks: queryBlocks(width),
  };
}

function roundedWidth(width: number): number {
  return roundUp(width, SMALLEST_STEP);
}

/** By less than a share of 1 / `parts`, or by less than `smallest`. */
function roundUp(size: number, smallest: number, parts = 8): number {
  const step = Math.max(smallest, 2 ** Math.floor(Math.log2(size)) / parts);
  return Math.ceil(size / step) * step;
}
