import type { DecoderConfig } from '../model/decoder-config.js';
import { decoderLayer, type Positions } from '../model/decoder-layer.js';
import type { RotaryTables } from '../model/rotary-tables.js';
import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Tensor } from '../operations/tensor.js';
import { joinedWeights } from './decode-weights.js';
import { chooseToken, type Choice } from './sampling-graph.js';

/** Sizes of one run: sequences, new tokens of each (padded on the right), and positions of the cache. */
export interface DecodeSizes {
  readonly rows: number;
  readonly width: number;
  readonly capacity: number;
}

export interface DecodeProgram {
  readonly outputs: { readonly [name: string]: Tensor };
  /** Inputs that are weights, for `joinedParameters`. */
  readonly weights: ReadonlySet<string>;
}

/**
 * One step of generation: some new tokens of every sequence go in, keys and values of these come out together with one chosen token per sequence.
 *
 * The cache only enters (whatever leaves a graph is copied). Scores over the cache and over the new tokens are computed apart and share one softmax,
 * the cache's first, so that neither its capacity nor the padding of the new tokens moves a single bit: capacity is a multiple of 64, and what
 * is masked adds exact zeros. In the last layer only the query of each row's last token is followed.
 *
 * Inputs beside weights and those of `chooseToken`: `tokens`, `positions` int32 [rows, width]; `last` int32 [rows], each row's last real token as index
 * into [rows * width]; `lastPositions` int32 [rows]; `cacheMask` [rows, 1, 1, capacity], `causalMask` [group * width, width] and `lastMask` [rows, 1, 1, width],
 * 0 or -1e9; `keys.N` [rows, keyValueHeads, headWidth, capacity], `values.N` [rows, keyValueHeads, capacity, headWidth].
 * Outputs: `token`, `logprob` [rows]; `keys.N` [rows, keyValueHeads, headWidth, width], `values.N` [rows, keyValueHeads, width, headWidth].
 */
export function decodeGraph(
  graph: GraphBuilder,
  config: DecoderConfig,
  { rows, width, capacity }: DecodeSizes,
  choice: Choice,
  tables: RotaryTables,
): DecodeProgram {
  const { heads, keyValueHeads, headWidth, rmsEpsilon } = config;
  const group = heads / keyValueHeads;
  const half = headWidth / 2;
  const cosTable = graph.constant(tables.cos, [tables.cos.length / half, half]);
  const sinTable = graph.constant(tables.sin, [tables.sin.length / half, half]);
  const at = (positions: Tensor): Positions => ({
    rows,
    width: positions.shape[1]!,
    cos: graph.gather(cosTable, positions),
    sin: graph.gather(sinTable, positions),
  });
  const every = at(graph.input('positions', [rows, width], 'int32'));
  const final = at(graph.reshape(graph.input('lastPositions', [rows], 'int32'), [rows, 1]));
  const last = graph.input('last', [rows], 'int32');
  const cacheMask = graph.input('cacheMask', [rows, 1, 1, capacity]);
  const causalMask = graph.input('causalMask', [group * width, width]);
  const lastMask = graph.input('lastMask', [rows, 1, 1, width]);

  const weights = joinedWeights(graph, config);
  const ids = graph.reshape(graph.input('tokens', [rows, width], 'int32'), [rows * width]);
  const outputs: { [name: string]: Tensor } = {};
  let hidden = graph.gather(weights.embedding, ids);
  for (let layer = 0; layer < config.layers; layer += 1) {
    const isLast = layer === config.layers - 1;
    hidden = decoderLayer(graph, config, weights, hidden, {
      layer,
      positions: every,
      ...(isLast ? { queries: { ids: last, positions: final } } : {}),
      attend: (query, key, value) => attend(layer, query, key, value, isLast ? lastMask : causalMask),
    });
  }
  const normed = graph.rmsNorm(hidden, weights.finalNorm, rmsEpsilon);
  const logits = graph.matmul(normed, weights.head, { transposeRight: true });
  const { token, logprob } = chooseToken(graph, logits, choice);
  return { outputs: { ...outputs, token, logprob }, weights: weights.names };

  /** Queries of one key-value head stand together: [rows, keyValueHeads, group * count, headWidth]. */
  function attend(layer: number, asked: Tensor, newKey: Tensor, newValue: Tensor, mask: Tensor): Tensor {
    const count = asked.shape[1]!;
    const key = graph.transpose(graph.reshape(newKey, [rows, width, keyValueHeads, headWidth]), [0, 2, 3, 1]);
    const value = graph.transpose(graph.reshape(newValue, [rows, width, keyValueHeads, headWidth]), [0, 2, 1, 3]);
    outputs[`keys.${layer}`] = key;
    outputs[`values.${layer}`] = value;
    const cachedKeys = graph.input(`keys.${layer}`, [rows, keyValueHeads, headWidth, capacity]);
    const cachedValues = graph.input(`values.${layer}`, [rows, keyValueHeads, capacity, headWidth]);
    const split = graph.transpose(
      graph.reshape(asked, [rows, count, keyValueHeads, group, headWidth]),
      [0, 2, 3, 1, 4],
    );
    const query = graph.reshape(split, [rows, keyValueHeads, group * count, headWidth]);
    const scale = 1 / Math.sqrt(headWidth);
    const overCache = graph.add(graph.matmul(query, cachedKeys, { scale }), cacheMask);
    const overNew = graph.add(graph.matmul(query, key, { scale }), mask);
    const shares = graph.softmax(graph.concat([overCache, overNew], 3));
    const context = graph.add(
      graph.matmul(graph.slice(shares, 3, 0, capacity), cachedValues),
      graph.matmul(graph.slice(shares, 3, capacity, capacity + width), value),
    );
    const apart = graph.reshape(context, [rows, keyValueHeads, group, count, headWidth]);
    return graph.reshape(graph.transpose(apart, [0, 3, 1, 2, 4]), [rows * count, heads * headWidth]);
  }
}
