import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Shape, Tensor } from '../operations/tensor.js';
import { activate } from './activation.js';
import { addAdapter, narrowProducts, rowScale } from './adapter-graph.js';
import type { DecoderConfig } from './decoder-config.js';
import {
  EMBEDDING,
  FINAL_NORM,
  headName,
  layerNorms,
  layerParameter,
  parameterShapes,
  projectionSizes,
  type Adapter,
  type LayerNorm,
  type Projection,
} from './parameters.js';

/** Access to a decoder's weights, which training and generation lay out differently. */
export interface DecoderWeights {
  /**
   * Products of `of` [n, inputs] with matrices of one layer, biases added: [n, outputs] each. All parts read the same
   * `of`.
   */
  project(of: Tensor, layer: number, parts: readonly Projection[]): readonly Tensor[];
  /** What a norm of one layer multiplies by. */
  norm(layer: number, part: LayerNorm): Tensor;
}

/** A block of positions that are computed together: `rows` sequences of `width`, flat as [rows * width, ...]. */
export interface Positions {
  readonly rows: number;
  readonly width: number;
  /** Rotary tables at each position, [rows, width, headWidth / 2]. */
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/** Positions to look up: their ids, and the inverse that `gather` needs for derivatives. */
export interface Kept {
  readonly ids: Tensor;
  readonly inverse?: Tensor;
}

export interface LayerOptions {
  readonly layer: number;
  readonly positions: Positions;
  /**
   * Attention. Queries [rows, queries, heads * headWidth] and keys [rows, width, keyValueHeads * headWidth] are
   * rotated; values have the shape of keys. Returns [rows * queries, heads * headWidth].
   */
  readonly attend: (query: Tensor, key: Tensor, value: Tensor) => Tensor;
  /**
   * Positions of the queries, if their rotary tables differ from the tables of the keys. With `asking`, ids into [rows
   * * width], only these positions have queries and outputs. All positions have keys and values.
   */
  readonly queries?: { readonly positions: Positions; readonly asking?: Kept };
  /** Distinct int32 ids into the output of attention. Later results are computed only for these. */
  readonly kept?: Kept;
}

/**
 * One layer of the decoder family, for training and generation: h + o(attention(norm h)), then h + down(act(gate) *
 * up) of the normed result. With `outputNorms`, what is added to h is normed, too. `hidden` is [rows * width, hidden]. The output is [n, hidden], with n all positions or the
 * positions that `queries` and `kept` select.
 */
export function decoderLayer(
  graph: GraphBuilder,
  config: DecoderConfig,
  weights: DecoderWeights,
  hidden: Tensor,
  { layer, positions, attend, queries, kept }: LayerOptions,
): Tensor {
  const { heads, keyValueHeads, headWidth, rmsEpsilon } = config;
  const { asking } = queries ?? {};
  const ask = (of: Tensor): Tensor => (asking ? graph.gather(of, asking.ids, asking.inverse) : of);

  const norms = layerNorms(config);
  const normed = norm(hidden, norms.beforeAttention);
  const turningQueries = queries?.positions ?? positions;
  const [query, key, value] = projectAttention();
  const context = attend(
    turn(query, heads, 'self_attn.q_norm', turningQueries),
    turn(key, keyValueHeads, 'self_attn.k_norm', positions),
    graph.reshape(value, [positions.rows, positions.width, keyValueHeads * headWidth]),
  );
  const keep = (of: Tensor): Tensor => (kept ? graph.gather(of, kept.ids, kept.inverse) : of);
  const [output] = weights.project(keep(context), layer, ['self_attn.o_proj']) as [Tensor];
  const attended = graph.add(keep(ask(hidden)), norm(output, norms.afterAttention));

  const normedAgain = norm(attended, norms.beforeMlp);
  const [gate, up] = weights.project(normedAgain, layer, ['mlp.gate_proj', 'mlp.up_proj']) as [Tensor, Tensor];
  const [down] = weights.project(graph.mul(activate(graph, config, gate), up), layer, ['mlp.down_proj']) as [Tensor];
  return graph.add(attended, norm(down, norms.afterMlp));

  /** `part` is undefined where the family has no norm. */
  function norm(of: Tensor, part: LayerNorm | undefined): Tensor {
    return part === undefined ? of : graph.rmsNorm(of, weights.norm(layer, part), rmsEpsilon);
  }

  function projectAttention(): [query: Tensor, key: Tensor, value: Tensor] {
    if (asking === undefined) {
      const parts: readonly Projection[] = ['self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj'];
      return weights.project(normed, layer, parts) as [Tensor, Tensor, Tensor];
    }
    const [ofAsking] = weights.project(ask(normed), layer, ['self_attn.q_proj']) as [Tensor];
    const [ofKeys, ofValues] = weights.project(normed, layer, ['self_attn.k_proj', 'self_attn.v_proj']) as [
      Tensor,
      Tensor,
    ];
    return [ofAsking, ofKeys, ofValues];
  }

  /** Norm of each head if the family has it, then rotation. */
  function turn(of: Tensor, count: number, ofHeads: LayerNorm, { rows, width, cos, sin }: Positions): Tensor {
    const shape = [rows, width, count * headWidth];
    if (!config.queryKeyNorm) return graph.rotary(graph.reshape(of, shape), cos, sin);
    const apart = graph.reshape(of, [rows * width * count, headWidth]);
    return graph.rotary(graph.reshape(norm(apart, ofHeads), shape), cos, sin);
  }
}

/**
 * Weights as state under their Hugging Face names, one matrix each, and the adapter's share of the products.
 *
 * @param watch is given the output of each matrix of a layer, and what its adapter's factor A returns
 */
export function stateWeights(
  graph: GraphBuilder,
  config: DecoderConfig,
  adapter?: Adapter,
  watch: (
    part: Projection,
    products: { readonly whole: Tensor; readonly narrow?: Tensor | undefined },
  ) => void = () => {},
): DecoderWeights {
  return {
    project(of, layer, parts) {
      // Each factor is a state of its own, because it has a gradient of its own.
      const join = (names: readonly string[], shape: Shape) => {
        const factors = names.map((name) => graph.state(name, shape));
        return factors.length === 1 ? factors[0]! : graph.concat(factors, 0);
      };
      const narrow = narrowProducts(graph, config, adapter, { of, layer, parts, join });
      return parts.map((part) => {
        const { outputs, inputs, bias } = projectionSizes(config, part);
        const weight = graph.state(layerParameter(layer, part), [outputs, inputs]);
        const product = graph.matmul(of, weight, { transposeRight: true, coarse: true });
        const own = bias ? graph.add(product, graph.state(layerParameter(layer, part, 'bias'), [outputs])) : product;
        const scale = () => rowScale(graph, config, adapter!, layer, part);
        const products = { whole: own, narrow: narrow.get(part) };
        const whole = addAdapter(graph, config, adapter, { ...products, layer, part, scale });
        watch(part, { ...products, whole });
        return whole;
      });
    },
    norm: normsOf(graph, config),
  };
}

/** The norms of the layers, as state under their Hugging Face names. */
export function normsOf(graph: GraphBuilder, config: DecoderConfig): DecoderWeights['norm'] {
  const shapes = parameterShapes(config, { valueHead: false });
  return (layer, part) => {
    const name = layerParameter(layer, part);
    return normFactor(graph, config, graph.state(name, shapes.get(name) ?? []));
  };
}

/** The norm after the last layer. */
export function finalNorm(graph: GraphBuilder, config: DecoderConfig, hidden: Tensor): Tensor {
  const weight = graph.state(FINAL_NORM, [config.hiddenSize]);
  return graph.rmsNorm(hidden, normFactor(graph, config, weight), config.rmsEpsilon);
}

function normFactor(graph: GraphBuilder, { centeredNorms }: DecoderConfig, weight: Tensor): Tensor {
  return centeredNorms ? graph.add(weight, 1) : weight;
}

/** The input of the first layer, [n, hidden], for int32 ids [n]. */
export function embedTokens(graph: GraphBuilder, config: DecoderConfig, embedding: Tensor, ids: Tensor): Tensor {
  return scaleEmbedding(graph, config, graph.gather(embedding, ids));
}

/** Rows of the embedding as the first layer reads them; also the derivative of that. */
export function scaleEmbedding(graph: GraphBuilder, { embeddingScale }: DecoderConfig, rows: Tensor): Tensor {
  return embeddingScale === 1 ? rows : graph.mul(rows, embeddingScale);
}

/** The embedding and the matrix of the head, both [vocabulary, hidden]. A tied head is the embedding. */
export function stateEmbedding(graph: GraphBuilder, config: DecoderConfig): { embedding: Tensor; head: Tensor } {
  const shape = [config.vocabularySize, config.hiddenSize];
  return { embedding: graph.state(EMBEDDING, shape), head: graph.state(headName(config), shape) };
}
