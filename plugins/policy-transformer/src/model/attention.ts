import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Tensor } from '../operations/tensor.js';
import { scoreScale, type DecoderConfig, type Rope } from './decoder-config.js';
import type { LayerOptions, Positions } from './decoder-layer.js';
import { rotaryTables } from './rotary-tables.js';

/**
 * Attention of whole sequences without a cache, for training and evaluation. With several blocks of queries, each block
 * sees the keys up to its end, so scores that are always masked are not computed.
 * @param bias added to the scores of the last block of queries: broadcasts to [rows, 1, heads / keyValueHeads * width /
 * blocks, width]; its last columns are added to those of other blocks
 */
export function attention(
  graph: GraphBuilder,
  config: DecoderConfig,
  rows: number,
  bias: Tensor,
  blocks = 1,
): LayerOptions['attend'] {
  const { heads, keyValueHeads, headWidth } = config;
  const group = heads / keyValueHeads;

  return (query, key, value) => {
    if (blocks === 1) return attend(query, key, value, bias);
    const width = key.shape[1]!;
    const size = width / blocks;
    const contexts = Array.from({ length: blocks }, (_, block) => {
      const end = (block + 1) * size;
      const upTo = (of: Tensor): Tensor => graph.slice(of, 1, 0, end);
      const ofBlock = graph.slice(query, 1, end - size, end);
      const mask = graph.slice(bias, bias.shape.length - 1, width - end, width);
      return graph.reshape(attend(ofBlock, upTo(key), upTo(value), mask), [rows, size, heads * headWidth]);
    });
    return graph.reshape(graph.concat(contexts, 1), [rows * width, heads * headWidth]);
  };

  /** Queries of one key-value head are adjacent, so keys and values are never repeated. */
  function attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor): Tensor {
    const [count, keys] = [query.shape[1]!, key.shape[1]!];
    const grouped = graph.transpose(
      graph.reshape(query, [rows, count, keyValueHeads, group, headWidth]),
      [0, 2, 3, 1, 4],
    );
    const context = graph.scaledAttention(
      graph.reshape(grouped, [rows, keyValueHeads, group * count, headWidth]),
      graph.transpose(graph.reshape(key, [rows, keys, keyValueHeads, headWidth]), [0, 2, 1, 3]),
      graph.transpose(graph.reshape(value, [rows, keys, keyValueHeads, headWidth]), [0, 2, 1, 3]),
      mask,
      scoreScale(config),
    );
    const apart = graph.reshape(context, [rows, keyValueHeads, group, count, headWidth]);
    return graph.reshape(graph.transpose(apart, [0, 3, 1, 2, 4]), [rows * count, heads * headWidth]);
  }
}

/**
 * Attention of tokens that lie one after the other, without padding. Queries, keys and values are [1, tokens, ...]; they
 * are spread to rows and back. The inputs that say where are those of `PackedAttention`.
 */
export function packedAttention(
  graph: GraphBuilder,
  config: DecoderConfig,
  sizes: PackedSizes,
): LayerOptions['attend'] {
  return sizes.shared === undefined
    ? apartAttention(graph, config, sizes)
    : sharedAttention(graph, config, { ...sizes, ...sizes.shared });
}

/** Each sequence in a row. */
function apartAttention(
  graph: GraphBuilder,
  config: DecoderConfig,
  { tokens, rows, width, blocks }: PackedSizes,
): LayerOptions['attend'] {
  const group = config.heads / config.keyValueHeads;
  const bias = graph.input('bias', [(group * width) / blocks, width]);
  const tokenOfPlace = graph.input('tokenOfPlace', [rows, width], 'int32');
  const tokenOrNone = graph.reshape(graph.input('tokenOrNone', [rows, width], 'int32'), [rows * width]);
  const placeOfToken = graph.input('placeOfToken', [tokens], 'int32');
  const attend = attention(graph, config, rows, bias, blocks);
  const spread = (of: Tensor): Tensor =>
    graph.gather(graph.reshape(of, [tokens, of.shape.at(-1)!]), tokenOfPlace, placeOfToken);
  return (query, key, value) =>
    graph.gather(attend(spread(query), spread(key), spread(value)), placeOfToken, tokenOrNone);
}

/** Rows of queries over the keys of their sequence, which other rows may have, too: see `SharedRows`. */
function sharedAttention(
  graph: GraphBuilder,
  config: DecoderConfig,
  { tokens, rows, width, queries, uses }: PackedSizes & NonNullable<PackedSizes['shared']>,
): LayerOptions['attend'] {
  const group = config.heads / config.keyValueHeads;
  const bias = graph.input('bias', [rows, 1, group * queries, width]);
  const tokenOfQuery = graph.input('tokenOfQuery', [rows, queries], 'int32');
  const queryOrNone = graph.reshape(graph.input('queryOrNone', [rows, queries], 'int32'), [rows * queries]);
  const queryOfToken = graph.input('queryOfToken', [tokens], 'int32');
  const tokenOfKey = graph.input('tokenOfKey', [rows, width], 'int32');
  const keysOfToken = graph.input('keysOfToken', [tokens, uses], 'int32');
  const attend = attention(graph, config, rows, bias);
  const flat = (of: Tensor): Tensor => graph.reshape(of, [tokens, of.shape.at(-1)!]);
  const ofKeys = (of: Tensor): Tensor => graph.gather(flat(of), tokenOfKey, keysOfToken);
  return (query, key, value) =>
    graph.gather(
      attend(graph.gather(flat(query), tokenOfQuery, queryOfToken), ofKeys(key), ofKeys(value)),
      queryOfToken,
      queryOrNone,
    );
}

/** Sizes of sequences without padding: all their tokens, and those of attention, which are of `PackedAttention`. */
export interface PackedSizes {
  readonly tokens: number;
  readonly rows: number;
  readonly width: number;
  /** Blocks of queries, a divisor of `width`. */
  readonly blocks: number;
  readonly shared?: { readonly queries: number; readonly uses: number };
}

/** @param at int32 [rows, n] */
export function rotaryPositions(
  graph: GraphBuilder,
  config: DecoderConfig,
  rope: Rope | undefined,
  at: Tensor,
): Positions {
  const tables = rotaryTables(config, rope, config.maxPositions);
  const angles = (table: Float32Array): Tensor =>
    graph.gather(graph.constant(table, [config.maxPositions, config.headWidth / 2]), at);
  const [rows, width] = at.shape as [number, number];
  return { rows, width, cos: angles(tables.cos), sin: angles(tables.sin) };
}
