import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Tensor } from '../operations/tensor.js';
import { causalMask } from './causal-mask.js';
import type { DecoderConfig } from './decoder-config.js';
import { decoderLayer, stateEmbedding, stateWeights, type Kept, type Positions } from './decoder-layer.js';
import { FINAL_NORM, type Adapter } from './parameters.js';
import { rotaryTables } from './rotary-tables.js';

export interface TrunkSizes {
  readonly rows: number;
  readonly width: number;
  /** Blocks of queries with separate attention, each only over the keys up to its end. Default: 1. */
  readonly blocks?: number;
}

export interface TrunkOptions {
  /**
   * int32 [rows, width] positions of the tokens. Default: 0, 1, ... in every row, as in sequences padded on the right.
   */
  readonly positions?: Tensor;
  /**
   * float32, added to the scores of the last block of queries, broadcasts to [rows, 1, heads / keyValueHeads * width /
   * blocks, width]; its last columns are added to those of other blocks. Default: causal.
   */
  readonly bias?: Tensor;
  /** The positions that have a query in the last layer, the same number in each row. Default: all. */
  readonly asking?: Asking;
  /** Low-rank factors beside the matrices. Default: none. */
  readonly adapter?: Adapter | undefined;
  /** The positions whose output is needed, as ids into the positions with a query. Default: all. */
  readonly kept?: Kept;
}

interface Asking extends Kept {
  /** int32 [rows, asks] */
  readonly positions: Tensor;
  /** Broadcasts to [rows, 1, heads / keyValueHeads * asks, width]. */
  readonly bias: Tensor;
}

export interface Trunk {
  /** [n, hidden] after the final norm. */
  readonly final: Tensor;
  /** The head's matrix [vocabulary, hidden]. */
  readonly head: Tensor;
  /** [rows * width, hidden] input of each layer. The first is the embedding. */
  readonly states: readonly Tensor[];
}

/**
 * Runs whole sequences through the decoder without a cache, for training and evaluation. Weights are state, `tokens`
 * int32 [rows, width] are an input.
 */
export function decoderTrunk(
  graph: GraphBuilder,
  config: DecoderConfig,
  { rows, width, blocks = 1 }: TrunkSizes,
  options: TrunkOptions = {},
): Trunk {
  const { layers, heads, keyValueHeads, headWidth, rmsEpsilon, hiddenSize } = config;
  const group = heads / keyValueHeads;
  const weights = stateWeights(graph, config, options.adapter);
  const { embedding, head } = stateEmbedding(graph, config);
  const positions = rotaryPositions(options.positions);
  const bias = options.bias ?? graph.constant(causalMask(width, group, blocks), [(group * width) / blocks, width]);

  const ids = graph.reshape(graph.input('tokens', [rows, width], 'int32'), [rows * width]);
  const states: Tensor[] = [];
  let hidden = graph.gather(embedding, ids);
  for (let layer = 0; layer < layers; layer++) {
    states.push(hidden);
    const { asking, kept } = layer === layers - 1 ? options : {};
    hidden = decoderLayer(graph, config, weights, hidden, {
      layer,
      positions,
      attend: asking ? (query, key, value) => attend(query, key, value, asking.bias) : attendInBlocks,
      ...(asking && { queries: { positions: rotaryPositions(asking.positions), asking } }),
      ...(kept && { kept }),
    });
  }
  return { final: graph.rmsNorm(hidden, graph.state(FINAL_NORM, [hiddenSize]), rmsEpsilon), head, states };

  /** Each block of queries sees the keys up to its end, so scores that are always masked are not computed. */
  function attendInBlocks(query: Tensor, key: Tensor, value: Tensor): Tensor {
    if (blocks === 1) return attend(query, key, value, bias);
    const size = width / blocks;
    const contexts = Array.from({ length: blocks }, (_, block) => {
      const end = (block + 1) * size;
      const upTo = (of: Tensor): Tensor => graph.slice(of, 1, 0, end);
      const ofBlock = graph.slice(query, 1, end - size, end);
      const mask = graph.slice(bias, bias.shape.length - 1, width - end, width);
      return graph.reshape(attend(ofBlock, upTo(key), upTo(value), mask), [rows, size, heads * headWidth]);
    });
    return graph.reshape(graph.concat(contexts, 1), [rows * width, heads * headWidth]);
  }

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
      1 / Math.sqrt(headWidth),
    );
    const apart = graph.reshape(context, [rows, keyValueHeads, group, count, headWidth]);
    return graph.reshape(graph.transpose(apart, [0, 3, 1, 2, 4]), [rows * count, heads * headWidth]);
  }

  /** @param at int32 [rows, n]; default: the positions of whole rows */
  function rotaryPositions(at?: Tensor): Positions {
    const half = headWidth / 2;
    const count = at ? config.maxPositions : width;
    const tables = rotaryTables(config, count);
    const angles = (table: Float32Array): Tensor => {
      const whole = graph.constant(table, [count, half]);
      return at ? graph.gather(whole, at) : graph.expand(whole, [rows, width, half]);
    };
    return { rows, width: at?.shape[1] ?? width, cos: angles(tables.cos), sin: angles(tables.sin) };
  }
}
