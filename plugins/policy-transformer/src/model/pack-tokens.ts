import type { LossInputName, TrainingBatch } from '@agentgym/cli';

import type { HostArray } from '../operations/tensor.js';
import { causalMask, queryBlocks } from './causal-mask.js';
import type { DecoderConfig } from './decoder-config.js';
import { packSlots } from './packed-slots.js';
import { queriesOf, shareBeginnings, sharedRows, type SharedTokens } from './share-beginnings.js';

/** Rows of a batch, one after the other without padding. Only attention sees rows: it looks tokens up by place. */
export interface PackedTokens {
  readonly sizes: {
    readonly tokens: number;
    readonly episodes: number;
    readonly slots: number;
  };
  readonly attention: PackedAttention;
  /** int32 [tokens]. */
  readonly tokens: Int32Array;
  /** The position of each token in its sequence, int32 [tokens]. */
  readonly positions: Int32Array;
  /** For each slot, the token that predicts it: int32 [slots]. */
  readonly predicting: Int32Array;
  /** What the head and the loss read: see `PackedSlots.inputs`. */
  readonly inputs: { readonly [name: string]: HostArray };
  /** For each used slot, its index into the arrays of the batch, [rows, width]. */
  readonly indices: Int32Array;
}

/** What attention looks up, and its sizes. */
interface PackedAttention {
  readonly rows: number;
  /** Keys of a row: a multiple of `blocks`. */
  readonly width: number;
  /** Blocks of queries; 1 if beginnings are shared. */
  readonly blocks: number;
  /** Present if tokens are shared by sequences that begin alike: see `SharedRows`. */
  readonly shared?: { readonly queries: number; readonly uses: number };
  /** Inputs of `packedAttention`. */
  readonly places: { readonly [name: string]: Int32Array };
  /** What is added to scores: see `causalMask` and `SharedRows`. `group` queries share a key. */
  mask(group: number, window: number | undefined): Float32Array;
}

/** Few shapes need less planning than many. Both numbers only have to be small. */
const SLOTS_MULTIPLE = 8;
const WIDTH_MULTIPLE = 8;

/** Shared beginnings must save this share of the work, because their attention has more to look up. */
const LEAST_SAVED = 0.1;

/**
 * Sequences that begin alike, such as those of a group, share the tokens of their beginning if that saves work.
 *
 * @param unit the number of episodes is a multiple of it: 2 if a loss compares them in pairs
 */
export function packTokens(
  batch: TrainingBatch,
  rows: readonly number[],
  config: DecoderConfig,
  reads: Iterable<LossInputName> = [],
  unit: 1 | 2 = 1,
): PackedTokens {
  const { slots, episodes, indices, lengths, inputs } = packSlots(batch, rows);
  const sequences = lengths.map((length, row) => {
    const from = rows[row]! * batch.width;
    return batch.tokens.subarray(from, from + length);
  });
  const { list, attention } = layOut(sequences, config);
  // A product of one row takes another path through the engine, so a lone token gets company.
  const count = Math.max(2, list.count);
  const tokens = new Int32Array(count);
  const positions = new Int32Array(count);
  for (const [row, path] of list.paths.entries()) {
    for (const [position, token] of path.entries()) {
      tokens[token] = sequences[row]![position]!;
      positions[token] = position;
    }
  }
  const slotCount = Math.ceil(Math.max(1, slots.length) / SLOTS_MULTIPLE) * SLOTS_MULTIPLE;
  const predicting = new Int32Array(slotCount);
  for (const [slot, { sequence, position }] of slots.entries()) {
    predicting[slot] = list.paths[sequence]![position - 1]!;
  }
  return {
    sizes: { tokens: count, episodes: Math.ceil(episodes / unit) * unit, slots: slotCount },
    attention: attention(count),
    ...{ tokens, positions, predicting, indices },
    inputs: inputs(slotCount, reads),
  };
}

interface Layout {
  readonly list: SharedTokens;
  readonly attention: (tokens: number) => PackedAttention;
}

function layOut(sequences: readonly ArrayLike<number>[], config: DecoderConfig): Layout {
  const list = shareBeginnings(sequences);
  const all = sequences.reduce((sum, { length }) => sum + length, 0);
  const longest = Math.max(1, ...sequences.map(({ length }) => length));
  const { width, blocks } = widthOf(longest);
  const apart = workOf(all, (sequences.length * width ** 2 * (blocks + 1)) / (2 * blocks), config);
  const { queries, scores } = queriesOf(list);
  if (workOf(list.count, scores, config) < (1 - LEAST_SAVED) * apart) {
    return { list, attention: (tokens) => attentionOfShared(list, queries, tokens) };
  }
  let start = 0;
  const paths = sequences.map(({ length }) => {
    const first = start;
    start += length;
    return Int32Array.from({ length }, (_, position) => first + position);
  });
  const own = { paths, common: paths.map(() => 0), count: all };
  return { list: own, attention: (tokens) => attentionApart(own, width, blocks, tokens) };
}

/** About the time of tokens and scores, in tokens: see `workOf` in pack-rows.ts. */
function workOf(tokens: number, scores: number, { hiddenSize }: DecoderConfig): number {
  return tokens + scores / (4.5 * hiddenSize);
}

function widthOf(longest: number): { readonly width: number; readonly blocks: number } {
  const blocks = queryBlocks(longest);
  const multiple = Math.max(WIDTH_MULTIPLE, blocks);
  return { width: Math.ceil(longest / multiple) * multiple, blocks };
}

function attentionOfShared(list: SharedTokens, size: number, tokens: number): PackedAttention {
  const { rows, queries, width, uses, mask, ...places } = sharedRows(list, size, tokens);
  return { rows, width, blocks: 1, shared: { queries, uses }, places, mask };
}

/**
 * Each sequence in a row. `placeOfToken` [tokens], and `tokenOfPlace` and `tokenOrNone` [rows, width]: 0, or the number of
 * tokens, for a place without one.
 */
function attentionApart({ paths }: SharedTokens, width: number, blocks: number, tokens: number): PackedAttention {
  const rows = paths.length;
  const placeOfToken = new Int32Array(tokens);
  const tokenOfPlace = new Int32Array(rows * width);
  const tokenOrNone = new Int32Array(rows * width).fill(tokens);
  for (const [row, path] of paths.entries()) {
    for (const [position, token] of path.entries()) {
      const place = row * width + position;
      placeOfToken[token] = place;
      tokenOfPlace[place] = token;
      tokenOrNone[place] = token;
    }
  }
  const places = { placeOfToken, tokenOfPlace, tokenOrNone };
  return { rows, width, blocks, places, mask: (group, window) => causalMask(width, group, blocks, window) };
}
