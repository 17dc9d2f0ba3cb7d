import { addAdapter, narrowProducts } from '../model/adapter-graph.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { normsOf, type DecoderWeights } from '../model/decoder-layer.js';
import { EMBEDDING, headName, layerParameter, projectionSizes, type Adapter } from '../model/parameters.js';
import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Tensor } from '../operations/tensor.js';
import { rowScaleState } from './row-scales.js';

/** Weights of a decode graph. */
export interface JoinedWeights extends DecoderWeights {
  readonly embedding: Tensor;
  /** [n, vocabulary] for states [n, hidden] after the final norm. */
  logits(of: Tensor): Tensor;
}

/**
 * A product of `of` [n, inputs] with the transposed matrix [outputs, inputs] that is the state `names`, joined along the
 * first axis.
 */
export type MatrixProduct = (
  graph: GraphBuilder,
  of: Tensor,
  names: readonly string[],
  sizes: {
    readonly outputs: number;
    readonly inputs: number;
    readonly fewRows: boolean;
    /** See `MatmulOptions`. */
    readonly coarse?: boolean;
  },
) => Tensor;

export const float32Product: MatrixProduct = (graph, of, names, { outputs, inputs, ...options }) =>
  graph.matmul(of, graph.state(names, [outputs, inputs]), { transposeRight: true, ...options });

/**
 * Joins matrices that read the same tensor into one state.
 * @param few tensors with this many rows have few rows in every run: see `MatmulOptions`
 * @param multiply how the model's matrices are multiplied; the embedding is looked up in float32
 */
export function joinedWeights(
  graph: GraphBuilder,
  config: DecoderConfig,
  {
    adapter,
    few,
    multiply = float32Product,
  }: {
    readonly adapter?: Adapter | undefined;
    readonly few?: number | undefined;
    readonly multiply?: MatrixProduct | undefined;
  },
): JoinedWeights {
  const { vocabularySize, hiddenSize } = config;
  const isFew = (of: Tensor): boolean => of.shape[0] === few;
  return {
    embedding: graph.state(EMBEDDING, [vocabularySize, hiddenSize]),
    logits: (of) =>
      multiply(graph, of, [headName(config)], { outputs: vocabularySize, inputs: hiddenSize, fewRows: isFew(of) }),
    project(of, layer, parts) {
      const sizes = parts.map((part) => projectionSizes(config, part));
      const [{ inputs, bias }] = sizes as [(typeof sizes)[number]];
      const outputs = sizes.reduce((sum, size) => sum + size.outputs, 0);
      const joint = (kind: 'weight' | 'bias') => parts.map((part) => layerParameter(layer, part, kind));
      const fewRows = isFew(of);
      const product = multiply(graph, of, joint('weight'), { outputs, inputs, fewRows, coarse: true });
      const all = bias ? graph.add(product, graph.state(joint('bias'), [outputs])) : product;
      const narrow = narrowProducts(graph, config, adapter, {
        ...{ of, layer, parts, fewRows },
        join: (names, [rank, width]) => graph.state(names, [names.length * rank, width]),
      });
      let start = 0;
      return sizes.map((size, index) => {
        const whole = graph.slice(all, 1, start, (start += size.outputs));
        const part = parts[index]!;
        const scale = () => graph.state(rowScaleState(layer, part), [size.outputs]);
        return addAdapter(graph, config, adapter, { whole, narrow: narrow.get(part), layer, part, scale, fewRows });
      });
    },
    norm: normsOf(graph, config),
  };
}
