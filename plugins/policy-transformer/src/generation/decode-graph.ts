import type { DecoderConfig } from '../model/decoder-config.js';
import { decoderLayer, type Kept, type Positions } from '../model/decoder-layer.js';
import type { Adapter } from '../model/parameters.js';
import type { RotaryTables } from '../model/rotary-tables.js';
import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Tensor } from '../operations/tensor.js';
import { joinedWeights, type MatrixProduct } from './decode-weights.js';
import { chooseToken, type Choice } from './sampling-graph.js';

/** Sizes of one run: sequences, new tokens of each (padded on the right), and positions of the cache. */
export interface DecodeSizes {
  readonly rows: number;
  readonly width: number;
  readonly capacity: number;
}

interface Appending {
  /** New keys and values of the cache. */
  readonly append: { readonly [state: string]: Tensor };
}

export interface DecodeProgram extends Appending {
  readonly outputs: { readonly token: Tensor; readonly logprob: Tensor };
}

export interface LogitsProgram extends Appending {
  readonly outputs: { readonly logits: Tensor };
}

export interface DecodeOptions {
  readonly sizes: DecodeSizes;
  readonly tables: RotaryTables;
  readonly adapter?: Adapter | undefined;
  /** Runs have at most as many rows as the executor's `RowRules.mostFewRows`. */
  readonly fewRows?: boolean;
  /** How the model's matrices are multiplied. Default: in float32. */
  readonly multiply?: MatrixProduct;
}

/** One step of generation: `logitsGraph`, and one token chosen per sequence, [rows], as in `chooseToken`. */
export function decodeGraph(
  graph: GraphBuilder,
  config: DecoderConfig,
  choice: Choice,
  options: DecodeOptions,
): DecodeProgram {
  const { outputs, append } = logitsGraph(graph, config, options);
  const { token, logprob } = chooseToken(graph, outputs.logits, choice);
  return { outputs: { token, logprob }, append };
}

/**
 * A step up to the logits. It takes some new tokens of every sequence, appends their keys and values to the cache, and
 * returns the logits after the last of them, [rows, vocabulary].
 *
 * Scores over the cache and over the new tokens are computed separately and share one softmax, the cache first. So
 * neither the capacity (which may be 0) nor the padding of new tokens changes a bit: masked positions add exact zeros.
 * In the last layer only the query of each row's last token is computed. A width of 1, the most frequent case, has its
 * own graph: axes of one element are not transposed, and the attention of a token to itself is a sum of products instead of a matrix product. Queries
 * are scaled in the rotation, because the engine multiplies a single row by a matrix several times faster without a
 * factor.
 *
 * State: weights, and a window of the cache, `keys.N` and `values.N` [rows, keyValueHeads, capacity, headWidth]. Inputs:
 * `tokens`, `positions` int32 [rows, width]; `cacheMask` [rows, 1, 1, capacity], 0 or -1e9. If width is not 1, also `last` int32 [rows], each row's last real token as index into [rows * width];
 * `lastPositions` int32 [rows]; `causalMask` [group * width, width] and `lastMask` [rows, 1, 1, width], 0 or -1e9.
 */
export function logitsGraph(
  graph: GraphBuilder,
  config: DecoderConfig,
  { sizes: { rows, width, capacity }, tables, adapter, fewRows = false, multiply }: DecodeOptions,
): LogitsProgram {
  const { heads, keyValueHeads, headWidth, rmsEpsilon } = config;
  const group = heads / keyValueHeads;
  const single = width === 1;
  const turning = turns(1);
  const turningQueries = turns(1 / Math.sqrt(headWidth));
  const positions = graph.input('positions', [rows, width], 'int32');
  const every = turning(positions);
  const asking = { positions: turningQueries(positions) };
  const cacheMask = graph.input('cacheMask', [rows, 1, 1, capacity]);

  const weights = joinedWeights(graph, config, { adapter, multiply, few: fewRows ? rows : undefined });
  const ids = graph.reshape(graph.input('tokens', [rows, width], 'int32'), [rows * width]);
  const append: { [state: string]: Tensor } = {};
  let hidden = graph.gather(weights.embedding, ids);
  for (let layer = 0; layer < config.layers; layer += 1) {
    const isLast = layer === config.layers - 1 && !single;
    hidden = decoderLayer(graph, config, weights, hidden, {
      layer,
      positions: every,
      queries: isLast ? lastOnes() : asking,
      attend: (query, key, value) => attend(layer, query, key, value, isLast),
    });
  }
  const normed = graph.rmsNorm(hidden, weights.finalNorm, rmsEpsilon);
  return { outputs: { logits: weights.logits(normed) }, append };

  /** Rotary tables times a factor, by position. */
  function turns(factor: number): (positions: Tensor) => Positions {
    const table = (entries: Float32Array) =>
      graph.constant(
        entries.map((entry) => factor * entry),
        [(2 * entries.length) / headWidth, headWidth / 2],
      );
    const [cos, sin] = [table(tables.cos), table(tables.sin)];
    return (of) => ({ rows, width: of.shape[1]!, cos: graph.gather(cos, of), sin: graph.gather(sin, of) });
  }

  function lastOnes(): { readonly asking: Kept; readonly positions: Positions } {
    const lastPositions = graph.reshape(graph.input('lastPositions', [rows], 'int32'), [rows, 1]);
    return { asking: { ids: graph.input('last', [rows], 'int32') }, positions: turningQueries(lastPositions) };
  }

  /** Queries of one key-value head are adjacent: [rows, keyValueHeads, group * count, headWidth]. */
  function attend(layer: number, asked: Tensor, newKey: Tensor, newValue: Tensor, isLast: boolean): Tensor {
    const count = asked.shape[1]!;
    const apart = (of: Tensor) =>
      graph.transpose(graph.reshape(of, [rows, width, keyValueHeads, headWidth]), [0, 2, 1, 3]);
    const [key, value] = [apart(newKey), apart(newValue)];
    append[`keys.${layer}`] = key;
    append[`values.${layer}`] = value;
    const cachedKeys = graph.state(`keys.${layer}`, [rows, keyValueHeads, capacity, headWidth]);
    const cachedValues = graph.state(`values.${layer}`, [rows, keyValueHeads, capacity, headWidth]);
    const split = graph.transpose(
      graph.reshape(asked, [rows, count, keyValueHeads, group, headWidth]),
      [0, 2, 3, 1, 4],
    );
    const query = graph.reshape(split, [rows, keyValueHeads, group * count, headWidth]);
    const overCache = graph.add(graph.matmul(query, cachedKeys, { transposeRight: true }), cacheMask);
    const shares = graph.softmax(graph.concat([overCache, overNew()], 3));
    const ofNew = graph.slice(shares, 3, capacity, capacity + width);
    const context = graph.add(
      graph.matmul(graph.slice(shares, 3, 0, capacity), cachedValues),
      single ? graph.mul(ofNew, value) : graph.matmul(ofNew, value),
    );
    const ordered = graph.transpose(
      graph.reshape(context, [rows, keyValueHeads, group, count, headWidth]),
      [0, 3, 1, 2, 4],
    );
    return graph.reshape(ordered, [rows * count, heads * headWidth]);

    function overNew(): Tensor {
      if (single) return graph.sum(graph.mul(query, key), { axes: [3], keep: true });
      const mask = isLast
        ? graph.input('lastMask', [rows, 1, 1, width])
        : graph.input('causalMask', [group * width, width]);
      return graph.add(graph.matmul(query, key, { transposeRight: true }), mask);
    }
  }
}
