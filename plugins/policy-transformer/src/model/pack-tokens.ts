import type { LossInputName, TrainingBatch } from '@agentgym/cli';

import type { HostArray } from '../operations/tensor.js';
import { queryBlocks } from './causal-mask.js';
import { packSlots } from './packed-slots.js';

/** Rows of a batch, one after the other without padding. Only attention sees rows: it looks tokens up by place. */
export interface PackedTokens {
  readonly sizes: {
    readonly tokens: number;
    readonly rows: number;
    /** Of a row in attention, a multiple of `blocks`. */
    readonly width: number;
    readonly blocks: number;
    readonly slots: number;
  };
  /** int32 [tokens]. */
  readonly tokens: Int32Array;
  /** The position of each token in its row, int32 [tokens]. */
  readonly positions: Int32Array;
  readonly places: Places;
  /** For each slot, the token that predicts it: int32 [slots]. */
  readonly predicting: Int32Array;
  /** What the head and the loss read: see `PackedSlots.inputs`. */
  readonly inputs: { readonly [name: string]: HostArray };
  /** For each used slot, its index into the arrays of the batch, [rows, width]. */
  readonly indices: Int32Array;
}

/** Tokens and their places in attention, [rows, width]. */
interface Places {
  /** int32 [tokens]. */
  readonly placeOfToken: Int32Array;
  /** int32 [rows, width]; 0 for a place without a token. */
  readonly tokenOfPlace: Int32Array;
  /** The same, but the number of tokens for a place without one: the inverse of `placeOfToken`. */
  readonly tokenOrNone: Int32Array;
}

/** Few shapes need less planning than many. Both numbers only have to be small. */
const SLOTS_MULTIPLE = 8;
const WIDTH_MULTIPLE = 8;

/** @param unit the number of rows is a multiple of it: 2 if a loss compares rows in pairs */
export function packTokens(
  batch: TrainingBatch,
  rows: readonly number[],
  reads: Iterable<LossInputName> = [],
  unit: 1 | 2 = 1,
): PackedTokens {
  const { slots, indices, lengths, longest, inputs } = packSlots(batch, rows);
  const starts = lengths.map((_, row) => lengths.slice(0, row).reduce((sum, length) => sum + length, 0));
  // A product of one row takes another path through the engine, so a lone token gets company.
  const count = Math.max(
    2,
    lengths.reduce((sum, length) => sum + length, 0),
  );
  const blocks = queryBlocks(longest);
  const multiple = Math.max(WIDTH_MULTIPLE, blocks);
  const width = Math.ceil(longest / multiple) * multiple;
  const sizes = {
    tokens: count,
    rows: Math.ceil(rows.length / unit) * unit,
    width,
    blocks,
    slots: Math.ceil(Math.max(1, slots.length) / SLOTS_MULTIPLE) * SLOTS_MULTIPLE,
  };
  const tokens = new Int32Array(count);
  const positions = new Int32Array(count);
  const placeOfToken = new Int32Array(count);
  const tokenOfPlace = new Int32Array(sizes.rows * width);
  const tokenOrNone = new Int32Array(sizes.rows * width).fill(count);
  for (const [row, start] of starts.entries()) {
    for (let position = 0; position < lengths[row]!; position += 1) {
      const [token, place] = [start + position, row * width + position];
      tokens[token] = batch.tokens[rows[row]! * batch.width + position]!;
      positions[token] = position;
      placeOfToken[token] = place;
      tokenOfPlace[place] = token;
      tokenOrNone[place] = token;
    }
  }
  const predicting = new Int32Array(sizes.slots);
  for (const [slot, { sequence, position }] of slots.entries()) predicting[slot] = starts[sequence]! + position - 1;
  const places = { placeOfToken, tokenOfPlace, tokenOrNone };
  return { sizes, tokens, positions, places, predicting, inputs: inputs(sizes.slots, reads), indices };
}
