import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Tensor } from '../operations/tensor.js';
import type { DecoderConfig } from './decoder-config.js';
import {
  adapterParameter,
  layerParameter,
  magnitudeParameter,
  projectionSizes,
  type Adapter,
  type Projection,
} from './parameters.js';

/** The output of a matrix that may have an adapter. */
interface Adapted {
  readonly of: Tensor;
  /** W of^T + bias, [n, outputs]. */
  readonly whole: Tensor;
  readonly layer: number;
  readonly part: Projection;
  /** In DoRA, the factor of each output, which is `rowScale`: [outputs]. */
  readonly scale: () => Tensor;
  /** See `MatmulOptions`. */
  readonly fewRows?: boolean;
}

/**
 * whole + scale * (of A^T) B^T, if the adapter has this matrix. In DoRA each output is then multiplied by a factor,
 * except for its bias.
 */
export function addAdapter(
  graph: GraphBuilder,
  config: DecoderConfig,
  adapter: Adapter | undefined,
  { of, whole, layer, part, scale, fewRows = false }: Adapted,
): Tensor {
  if (!adapter?.targets.includes(part)) return whole;
  const { outputs, bias } = projectionSizes(config, part);
  const { down, up } = factorsOf(graph, config, adapter, layer, part);
  const narrow = graph.matmul(of, down, { transposeRight: true, fewRows, coarse: true });
  const wide = graph.matmul(narrow, up, { transposeRight: true, scale: adapter.scale, fewRows, coarse: true });
  const sum = graph.add(whole, wide);
  if (!adapter.dora) return sum;
  const factor = scale();
  const scaled = graph.mul(sum, factor);
  if (!bias) return scaled;
  const unscaled = graph.state(layerParameter(layer, part, 'bias'), [outputs]);
  return graph.add(scaled, graph.mul(unscaled, graph.sub(1, factor)));
}

/**
 * DoRA's factor of each output, [outputs]: the magnitude of its row over the length of the row of W + s B A. The length
 * has no derivative (Liu et al. 2024, section 4.3). That matrix is never made: the square of its row is that of W + 2 s
 * W (B A)^T + s^2 that of B A.
 */
export function rowScale(
  graph: GraphBuilder,
  config: DecoderConfig,
  adapter: Adapter,
  layer: number,
  part: Projection,
): Tensor {
  const { outputs, inputs } = projectionSizes(config, part);
  const { down, up } = factorsOf(graph, config, adapter, layer, part);
  const weight = graph.state(layerParameter(layer, part), [outputs, inputs]);
  const rowSum = (of: Tensor) => graph.sum(of, { axes: [1] });
  const across = graph.matmul(weight, down, { transposeRight: true, scale: 2 * adapter.scale });
  const own = graph.matmul(up, graph.matmul(down, down, { transposeRight: true }), { scale: adapter.scale ** 2 });
  const square = graph.add(rowSum(graph.mul(weight, weight)), rowSum(graph.mul(graph.add(across, own), up)));
  const magnitude = graph.state(magnitudeParameter(layer, part), [outputs]);
  return graph.div(magnitude, graph.stopGradient(graph.sqrt(square)));
}

function factorsOf(
  graph: GraphBuilder,
  config: DecoderConfig,
  { rank }: Adapter,
  layer: number,
  part: Projection,
): { readonly down: Tensor; readonly up: Tensor } {
  const { outputs, inputs } = projectionSizes(config, part);
  return {
    down: graph.state(adapterParameter(layer, part, 'A'), [rank, inputs]),
    up: graph.state(adapterParameter(layer, part, 'B'), [outputs, rank]),
  };
}
