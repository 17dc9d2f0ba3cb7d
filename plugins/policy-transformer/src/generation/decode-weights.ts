import { addAdapter } from '../model/adapter-graph.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { normsOf, stateEmbedding, type DecoderWeights } from '../model/decoder-layer.js';
import { layerParameter, projectionSizes, type Adapter } from '../model/parameters.js';
import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Tensor } from '../operations/tensor.js';
import { rowScaleState } from './row-scales.js';

/** Weights of a decode graph. */
export interface JoinedWeights extends DecoderWeights {
  readonly embedding: Tensor;
  readonly head: Tensor;
}

/**
 * Joins matrices that read the same tensor into one state.
 * @param few tensors with this many rows have few rows in every run
 */
export function joinedWeights(
  graph: GraphBuilder,
  config: DecoderConfig,
  { adapter, few }: { readonly adapter?: Adapter | undefined; readonly few?: number | undefined },
): JoinedWeights {
  return {
    ...stateEmbedding(graph, config),
    project(of, layer, parts) {
      const sizes = parts.map((part) => projectionSizes(config, part));
      const [{ inputs, bias }] = sizes as [(typeof sizes)[number]];
      const outputs = sizes.reduce((sum, size) => sum + size.outputs, 0);
      const joint = (kind: 'weight' | 'bias', shape: readonly number[]) =>
        graph.state(
          parts.map((part) => layerParameter(layer, part, kind)),
          shape,
        );
      const fewRows = of.shape[0] === few;
      const product = graph.matmul(of, joint('weight', [outputs, inputs]), { transposeRight: true, fewRows });
      const all = bias ? graph.add(product, joint('bias', [outputs])) : product;
      let start = 0;
      return sizes.map((size, index) => {
        const whole = graph.slice(all, 1, start, (start += size.outputs));
        const part = parts[index]!;
        const scale = () => graph.state(rowScaleState(layer, part), [size.outputs]);
        return addAdapter(graph, config, adapter, { of, whole, layer, part, scale, fewRows });
      });
    },
    norm: normsOf(graph, config),
  };
}
