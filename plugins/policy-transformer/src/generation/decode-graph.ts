import type { DecoderConfig } from '../model/decoder-config.js';
import type { RotaryTables } from '../model/rotary-tables.js';
import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Tensor } from '../operations/tensor.js';
import { chooseToken, type Choice } from './sampling-graph.js';

/** Sizes of one run: sequences, new tokens of each (padded on the right), and positions of the cache. */
export interface DecodeSizes {
  readonly rows: number;
  readonly width: number;
  readonly capacity: number;
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
  sizes: DecodeSizes,
  choice: Choice,
  tables: RotaryTables,
): { readonly [name: string]: Tensor } {
  const { rows, width, capacity } = sizes;
  const { hiddenSize, heads, keyValueHeads, headWidth, intermediateSize, rmsEpsilon } = config;
  const group = heads / keyValueHeads;
  const queryWidth = heads * headWidth;
  const keyWidth = keyValueHeads * headWidth;
  const outputs: { [name: string]: Tensor } = {};

  const half = headWidth / 2;
  const cosTable = graph.constant(tables.cos, [tables.cos.length / half, half]);
  const sinTable = graph.constant(tables.sin, [tables.sin.length / half, half]);
  const positions = graph.input('positions', [rows, width], 'int32');
  const lastPositions = graph.reshape(graph.input('lastPositions', [rows], 'int32'), [rows, 1]);
  const every = { count: width, cos: graph.gather(cosTable, positions), sin: graph.gather(sinTable, positions) };
  const final = { count: 1, cos: graph.gather(cosTable, lastPositions), sin: graph.gather(sinTable, lastPositions) };
  const last = graph.input('last', [rows], 'int32');
  const cacheMask = graph.input('cacheMask', [rows, 1, 1, capacity]);
  const causalMask = graph.input('causalMask', [group * width, width]);
  const lastMask = graph.input('lastMask', [rows, 1, 1, width]);

  const embedding = graph.input('embedding', [config.vocabularySize, hiddenSize]);
  let hidden = graph.gather(embedding, graph.reshape(graph.input('tokens', [rows, width], 'int32'), [rows * width]));
  for (let layer = 0; layer < config.layers; layer += 1) {
    const isLast = layer === config.layers - 1;
    hidden = attend(layer, isLast);
    hidden = feedForward(layer);
  }
  const normed = graph.rmsNorm(hidden, graph.input('norm', [hiddenSize]), rmsEpsilon);
  const head = config.tiedHead ? embedding : graph.input('head', [config.vocabularySize, hiddenSize]);
  const chosen = chooseToken(graph, graph.matmul(normed, head, { transposeRight: true }), choice);
  return { ...outputs, token: chosen.token, logprob: chosen.logprob };

  /** x weight^T + bias; the biases of a joined weight are joined too. */
  function linear(of: Tensor, name: string, outWidth: number, bias: boolean): Tensor {
    const product = graph.matmul(of, graph.input(name, [outWidth, of.shape.at(-1)!]), { transposeRight: true });
    return bias ? graph.add(product, graph.input(`${name}.bias`, [outWidth])) : product;
  }

  type Places = typeof every;

  /** Norm of each head where the family has it, then rotary positions: [rows * count, heads * headWidth] to [rows, count, heads * headWidth]. */
  function turn(of: Tensor, count: number, name: string, places: Places): Tensor {
    const normed = config.queryKeyNorm
      ? graph.rmsNorm(
          graph.reshape(of, [rows, places.count, count, headWidth]),
          graph.input(name, [headWidth]),
          rmsEpsilon,
        )
      : of;
    return graph.rotary(graph.reshape(normed, [rows, places.count, count * headWidth]), places.cos, places.sin);
  }

  function attend(layer: number, isLast: boolean): Tensor {
    const name = (part: string) => `${layer}.${part}`;
    const normed = graph.rmsNorm(hidden, graph.input(name('attentionNorm'), [hiddenSize]), rmsEpsilon);
    const bias = config.queryKeyValueBias;
    let flatQuery: Tensor;
    let flatKey: Tensor;
    let flatValue: Tensor;
    if (isLast) {
      flatQuery = linear(graph.gather(normed, last), name('query'), queryWidth, bias);
      const joined = linear(normed, name('keyValue'), 2 * keyWidth, bias);
      flatKey = graph.slice(joined, 1, 0, keyWidth);
      flatValue = graph.slice(joined, 1, keyWidth, 2 * keyWidth);
    } else {
      const joined = linear(normed, name('queryKeyValue'), queryWidth + 2 * keyWidth, bias);
      flatQuery = graph.slice(joined, 1, 0, queryWidth);
      flatKey = graph.slice(joined, 1, queryWidth, queryWidth + keyWidth);
      flatValue = graph.slice(joined, 1, queryWidth + keyWidth, queryWidth + 2 * keyWidth);
    }
    const places = isLast ? final : every;
    const turnedKey = turn(flatKey, keyValueHeads, name('keyNorm'), every);
    const key = graph.transpose(graph.reshape(turnedKey, [rows, width, keyValueHeads, headWidth]), [0, 2, 3, 1]);
    const value = graph.transpose(graph.reshape(flatValue, [rows, width, keyValueHeads, headWidth]), [0, 2, 1, 3]);
    outputs[`keys.${layer}`] = key;
    outputs[`values.${layer}`] = value;
    const cachedKeys = graph.input(`keys.${layer}`, [rows, keyValueHeads, headWidth, capacity]);
    const cachedValues = graph.input(`values.${layer}`, [rows, keyValueHeads, capacity, headWidth]);

    // Queries of one key-value head stand together: [rows, keyValueHeads, group * count, headWidth].
    const turned = turn(flatQuery, heads, name('queryNorm'), places);
    const split = graph.reshape(turned, [rows, places.count, keyValueHeads, group, headWidth]);
    const query = graph.reshape(graph.transpose(split, [0, 2, 3, 1, 4]), [
      rows,
      keyValueHeads,
      group * places.count,
      headWidth,
    ]);
    const scale = 1 / Math.sqrt(headWidth);
    const overCache = graph.add(graph.matmul(query, cachedKeys, { scale }), cacheMask);
    const overNew = graph.add(graph.matmul(query, key, { scale }), isLast ? lastMask : causalMask);
    const weights = graph.softmax(graph.concat([overCache, overNew], 3));
    const context = graph.add(
      graph.matmul(graph.slice(weights, 3, 0, capacity), cachedValues),
      graph.matmul(graph.slice(weights, 3, capacity, capacity + width), value),
    );
    const apart = graph.reshape(context, [rows, keyValueHeads, group, places.count, headWidth]);
    const joinedHeads = graph.reshape(graph.transpose(apart, [0, 3, 1, 2, 4]), [rows * places.count, queryWidth]);
    const residual = isLast ? graph.gather(hidden, last) : hidden;
    return graph.add(residual, linear(joinedHeads, name('output'), hiddenSize, config.outputBias));
  }

  function feedForward(layer: number): Tensor {
    const name = (part: string) => `${layer}.${part}`;
    const normed = graph.rmsNorm(hidden, graph.input(name('feedForwardNorm'), [hiddenSize]), rmsEpsilon);
    const joined = linear(normed, name('gateUp'), 2 * intermediateSize, config.mlpBias);
    const gate = graph.silu(graph.slice(joined, 1, 0, intermediateSize));
    const up = graph.slice(joined, 1, intermediateSize, 2 * intermediateSize);
    return graph.add(hidden, linear(graph.mul(gate, up), name('down'), hiddenSize, config.mlpBias));
  }
}
