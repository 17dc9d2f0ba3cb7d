import { MASKED, maskInput } from '../model/causal-mask.js';
import { attentionKindOf, scoreScale, type DecoderConfig } from '../model/decoder-config.js';
import { decoderLayer, embedTokens, finalNorm, type Kept, type Positions } from '../model/decoder-layer.js';
import type { Adapter } from '../model/parameters.js';
import type { RotaryTables } from '../model/rotary-tables.js';
import type { GraphBuilder, MatmulOptions } from '../operations/graph-builder.js';
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
  /** Of each kind of attention. */
  readonly tables: readonly RotaryTables[];
  readonly adapter?: Adapter | undefined;
  /** Runs have at most as many rows as the executor's `RowRules.mostFewRows`. */
  readonly fewRows?: boolean;
  /** How the model's matrices are multiplied. Default: in float32. */
  readonly multiply?: MatrixProduct;
  /** Whether each query reads the cache in a product of its own: see `Executor.readsRowByRow`. */
  readonly rowByRow?: boolean | undefined;
}

/** Queries of some layers, with the masks of their scores over the cache and over new tokens. */
interface Queries {
  readonly positions: Positions;
  readonly asking?: Kept;
  readonly cacheMask: Tensor;
  /** Undefined if there is one new token, which sees itself. */
  readonly newMask: Tensor | undefined;
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
 * One step up to the logits. It takes some new tokens of every sequence, appends their keys and values to the cache, and
 * returns the logits after the last of them, [rows, vocabulary].
 *
 * Scores over the cache and over the new tokens are computed separately and share one softmax, the cache first. So
 * neither the capacity (which may be 0) nor the padding of new tokens changes a bit: masked positions add exact zeros.
 * In the last layer only the query of each row's last token is computed. A width of 1, the most frequent case, has its
 * own graph: axes of one element are not transposed, and the attention of a token to itself is a sum of products instead
 * of a matrix product. Queries are scaled in the rotation, because the engine multiplies a single row by a matrix several
 * times faster without a factor. A window of the queries masks older keys; the cache still holds them. The queries that
 * share a key-value head are one matrix, unless the executor reads row by row.
 *
 * State: weights, and a window of the cache, `keys.N` and `values.N` [rows, keyValueHeads, capacity, headWidth]. Inputs:
 * `tokens`, `positions` int32 [rows, width]; `cacheMask` [rows, 1, 1, capacity], 0 or -1e9; if a layer has a window,
 * `places` int32 [capacity], 0, 1, ... If width is not 1, also `last` int32 [rows], each row's last real token as index
 * into [rows * width]; `lastPositions` int32 [rows]; for each window `maskInput` [group * width, width], which is
 * `causalMask`; and `lastMask` [rows, 1, 1, width], 0 or -1e9, for the window of the last layer.
 */
export function logitsGraph(
  graph: GraphBuilder,
  config: DecoderConfig,
  { sizes: { rows, width, capacity }, tables, adapter, fewRows = false, multiply, rowByRow = false }: DecodeOptions,
): LogitsProgram {
  const { heads, keyValueHeads, headWidth } = config;
  const group = heads / keyValueHeads;
  const single = width === 1;
  const positions = graph.input('positions', [rows, width], 'int32');
  const cacheMask = graph.input('cacheMask', [rows, 1, 1, capacity]);
  const kinds = config.attentionKinds.map(({ window }, kind) => kindOfAttention(tables[kind]!, window));

  const weights = joinedWeights(graph, config, { adapter, multiply, few: fewRows ? rows : undefined });
  const ids = graph.reshape(graph.input('tokens', [rows, width], 'int32'), [rows * width]);
  const append: { [state: string]: Tensor } = {};
  let hidden = embedTokens(graph, config, weights.embedding, ids);
  for (let layer = 0; layer < config.layers; layer += 1) {
    const { turned, queries, lastOnes } = kinds[attentionKindOf(config, layer)]!;
    const asked = layer === config.layers - 1 && !single ? lastOnes() : queries;
    hidden = decoderLayer(graph, config, weights, hidden, {
      layer,
      positions: turned,
      queries: asked,
      attend: (query, key, value) => attend(layer, query, key, value, asked),
    });
  }
  return { outputs: { logits: weights.logits(finalNorm(graph, config, hidden)) }, append };

  /** What the layers of a kind of attention share. */
  function kindOfAttention(of: RotaryTables, window: number | undefined) {
    const turn = turns(of, 1);
    const turnQueries = turns(of, scoreScale(config));
    return {
      turned: turn(positions),
      queries: {
        positions: turnQueries(positions),
        cacheMask: maskOfCache(window, positions),
        newMask: single ? undefined : graph.input(maskInput(window), [group * width, width]),
      },
      lastOnes: (): Queries => {
        const lastPositions = graph.reshape(graph.input('lastPositions', [rows], 'int32'), [rows, 1]);
        return {
          positions: turnQueries(lastPositions),
          asking: { ids: graph.input('last', [rows], 'int32') },
          cacheMask: maskOfCache(window, lastPositions),
          newMask: graph.input('lastMask', [rows, 1, 1, width]),
        };
      },
    };
  }

  /** Rotary tables times a factor, by position. */
  function turns(of: RotaryTables, factor: number): (positions: Tensor) => Positions {
    const table = (entries: Float32Array) =>
      graph.constant(
        entries.map((entry) => factor * entry),
        [(2 * entries.length) / headWidth, headWidth / 2],
      );
    const [cos, sin] = [table(of.cos), table(of.sin)];
    return (at) => ({ rows, width: at.shape[1]!, cos: graph.gather(cos, at), sin: graph.gather(sin, at) });
  }

  /** The mask of the cache for queries at positions `at` [rows, count]: broadcasts to [rows, 1, group * count, capacity]. */
  function maskOfCache(window: number | undefined, at: Tensor): Tensor {
    if (window === undefined) return cacheMask;
    const count = at.shape[1]!;
    const next = graph.sub(graph.reshape(at, [rows, 1, count, 1]), graph.constant(Int32Array.of(window - 1), [1]));
    const isOlder = graph.less(graph.input('places', [capacity], 'int32'), next);
    const mask = graph.where(isOlder, MASKED, cacheMask);
    if (count === 1) return mask;
    const each = graph.expand(mask, [rows, group, count, capacity]);
    return graph.reshape(each, [rows, 1, group * count, capacity]);
  }

  /** Queries of one key-value head are adjacent: [rows, keyValueHeads, group * count, headWidth]. */
  function attend(layer: number, asked: Tensor, newKey: Tensor, newValue: Tensor, masks: Queries): Tensor {
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
    const overCache = graph.add(ofEach(query, cachedKeys, { transposeRight: true }), masks.cacheMask);
    const shares = graph.softmax(graph.concat([overCache, overNew()], 3));
    const ofNew = graph.slice(shares, 3, capacity, capacity + width);
    const context = graph.add(
      ofEach(graph.slice(shares, 3, 0, capacity), cachedValues),
      single ? graph.mul(ofNew, value) : graph.matmul(ofNew, value),
    );
    const ordered = graph.transpose(
      graph.reshape(context, [rows, keyValueHeads, group, count, headWidth]),
      [0, 3, 1, 2, 4],
    );
    return graph.reshape(ordered, [rows * count, heads * headWidth]);

    /** Products of the queries' rows [rows, keyValueHeads, group * count, n] with keys or values of the cache. */
    function ofEach(left: Tensor, right: Tensor, options: Pick<MatmulOptions, 'transposeRight'> = {}): Tensor {
      if (!rowByRow || group === 1) return graph.matmul(left, right, options);
      const heads = [rows, keyValueHeads, group];
      const apart = graph.reshape(left, [...heads, count, left.shape[3]!]);
      const shared = graph.reshape(right, [rows, keyValueHeads, 1, capacity, headWidth]);
      const product = graph.matmul(apart, shared, options);
      return graph.reshape(product, [rows, keyValueHeads, group * count, product.shape[4]!]);
    }

    function overNew(): Tensor {
      if (masks.newMask === undefined) return graph.sum(graph.mul(query, key), { axes: [3], keep: true });
      return graph.add(graph.matmul(query, key, { transposeRight: true }), masks.newMask);
    }
  }
}
