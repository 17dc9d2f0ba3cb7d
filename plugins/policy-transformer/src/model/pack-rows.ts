import type { LossInputName, TrainingBatch } from '@agentgym/cli';

import type { HostArray } from '../operations/tensor.js';
import { askingInputs, askingPositions } from './asking-positions.js';
import { queryBlocks } from './causal-mask.js';
import type { DecoderConfig } from './decoder-config.js';
import { MaskMemory } from './mask-memory.js';
import { packSlots } from './packed-slots.js';
import { placeInputs } from './place-inputs.js';
import { placeApart, placePrefixes, placeSequences, rowsOfPrefixes, type PlacedSequences } from './place-rows.js';
import { orderByPrefix } from './prefix-order.js';
import type { TrainingSizes } from './training-graph.js';

/** Rows of a batch as inputs of a graph. */
export interface PackedRows {
  readonly sizes: TrainingSizes;
  /** Every input of `trainingGraph` and `evaluationGraph` except the parameters. */
  readonly inputs: { readonly [name: string]: HostArray };
  /** For each used slot, its index into the arrays of the batch, [rows, width]. */
  readonly indices: Int32Array;
}

export interface PackOptions {
  /** Columns of the batch that a loss reads. Default: none. */
  readonly reads?: Iterable<LossInputName>;
  /** The number of episodes is a multiple of it: 2 if a loss compares them in pairs. Default: 1. */
  readonly unit?: 1 | 2;
  /** Where masks are written. They are valid until the next call with it. Default: new memory. */
  readonly memory?: MaskMemory;
}

/**
 * Packs the sampled tokens of some rows into slots (see `packSlots`), and the sequences into rows of equal width (see
 * `layOut`).
 */
export function packRows(
  batch: TrainingBatch,
  rows: readonly number[],
  config: DecoderConfig,
  { reads = [], unit = 1, memory = new MaskMemory() }: PackOptions = {},
): PackedRows {
  const { slots, episodes, indices, lengths, inputs } = packSlots(batch, rows);
  const sequences = lengths.map((length, sequence) => {
    const from = rows[sequence]! * batch.width;
    return batch.tokens.subarray(from, from + length);
  });
  const placed = layOut(sequences, config);
  const { points, pointOfSlot, most } = askingPositions(slots, placed);
  const shared = points.length < slots.length;
  const sizes = roundedSizes(
    {
      ...{ episodes, rows: placed.rows, width: placed.width, shared },
      ...{ slots: Math.max(1, slots.length), points: Math.max(1, points.length), asks: most },
    },
    unit,
  );
  const tokens = new Int32Array(sizes.rows * sizes.width);
  for (const [sequence, path] of placed.paths.entries()) {
    for (const [position, place] of path.entries()) tokens[place] = sequences[sequence]![position]!;
  }
  const ofSlots = inputs(sizes.slots, reads);
  return {
    sizes,
    inputs: {
      tokens,
      ...placeInputs(placed, sizes, config, memory),
      ...askingInputs(points, placed, sizes, config, memory),
      ...ofSlots,
      ...(shared && sharingInputs(pointOfSlot, ofSlots['targets']!, config)),
    },
    indices,
  };
}

/** What slots read of the points that they share; slots beyond the list read the first. */
function sharingInputs(
  known: Int32Array,
  targets: HostArray,
  { vocabularySize }: DecoderConfig,
): { readonly [name: string]: HostArray } {
  const pointOfSlot = new Int32Array(targets.length);
  pointOfSlot.set(known);
  return { pointOfSlot, logitOfSlot: pointOfSlot.map((point, slot) => point * vocabularySize + targets[slot]!) };
}

/** Rows in which prefixes are shared must save this share of the work, because a shared point takes more of the loss. */
const LEAST_SAVED = 0.1;

/** The most numbers of rows that are tried for sequences that share prefixes. */
const MOST_TRIED = 12;

/** An index into logits is an int32. */
const MOST_LOGITS = 2 ** 31;

/**
 * Places of sequences in rows. Sequences that begin alike, such as those of a group, share the places of these tokens,
 * if that saves work; wide rows hold more of them, but attention takes longer. Otherwise rows are as wide as the longest
 * sequence, and short ones share a row. Where queries are computed in blocks, each sequence has a row of its own: a block
 * sees a fixed number of keys, and masks of long rows would be large.
 */
export function layOut(sequences: readonly ArrayLike<number>[], config: DecoderConfig): PlacedSequences {
  const lengths = sequences.map(({ length }) => length);
  const width = roundedWidth(Math.max(1, ...lengths));
  if (queryBlocks(width) > 1) return placeApart(lengths, width);
  const apart = placeSequences(lengths, width);
  const all = sum(lengths);
  const order = orderByPrefix(sequences);
  const distinct = all - sum(order.common);
  if (distinct > (1 - LEAST_SAVED) * all || all * config.vocabularySize >= MOST_LOGITS) return apart;
  let best = { width: 0, work: (1 - LEAST_SAVED) * workOf(apart.rows, width, config) };
  for (let rows = 1; rows <= Math.min(MOST_TRIED, apart.rows); rows += 1) {
    const wide = roundedWidth(Math.max(width, Math.ceil(distinct / rows)));
    if (queryBlocks(wide) > 1) continue;
    const work = workOf(rowsOfPrefixes(lengths, order, wide), wide, config);
    if (work < best.work) best = { width: wide, work };
    if (wide === width) break;
  }
  return best.width === 0 ? apart : placePrefixes(lengths, order, best.width);
}

/**
 * About the time of rows, in tokens without attention: what a token does with a key takes as long as the rest of the
 * token divided by 4.5 hidden sizes (measured with 64 and 2 layers, rows of 40 to 208 tokens).
 */
function workOf(rows: number, width: number, { hiddenSize }: DecoderConfig): number {
  return rows * width * (1 + width / (4.5 * hiddenSize));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Smaller steps would give small batches almost as many shapes as sizes. */
const SMALLEST_STEP = 8;

/**
 * Sizes rounded up by at most an eighth, rows by a sixteenth. They depend only on the batch. So there are few shapes to
 * plan memory for, and little is wasted.
 */
export function roundedSizes(sizes: Omit<TrainingSizes, 'blocks'>, unit: 1 | 2 = 1): TrainingSizes {
  const width = roundedWidth(sizes.width);
  return {
    episodes: roundUp(sizes.episodes, unit),
    rows: roundUp(sizes.rows, 1, 16),
    width,
    slots: roundUp(sizes.slots, SMALLEST_STEP),
    points: roundUp(sizes.points, SMALLEST_STEP),
    asks: roundUp(sizes.asks, SMALLEST_STEP),
    shared: sizes.shared,
    blocks: queryBlocks(width),
  };
}

export function roundedWidth(width: number): number {
  return roundUp(width, SMALLEST_STEP);
}

/** By less than a share of 1 / `parts`, or by less than `smallest`. */
function roundUp(size: number, smallest: number, parts = 8): number {
  const step = Math.max(smallest, 2 ** Math.floor(Math.log2(size)) / parts);
  return Math.ceil(size / step) * step;
}
