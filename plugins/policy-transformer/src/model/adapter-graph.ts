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
  /** W of^T + bias, [n, outputs]. */
  readonly whole: Tensor;
  /** Of `narrowProducts`; `undefined` if the adapter does not have this matrix. */
  readonly narrow: Tensor | undefined;
  readonly layer: number;
  readonly part: Projection;
  /** In DoRA, the factor of each output, which is `rowScale`: [outputs]. */
  readonly scale: () => Tensor;
  /** See `MatmulOptions`. */
  readonly fewRows?: boolean;
}

/** `of` [n, inputs], which several matrices of a layer read. */
interface Narrowed {
  readonly of: Tensor;
  readonly layer: number;
  readonly parts: readonly Projection[];
  /** Factors A of this shape as one matrix, one below the other. */
  readonly join: (names: readonly string[], shape: readonly [rank: number, inputs: number]) => Tensor;
  /** See `MatmulOptions`. */
  readonly fewRows?: boolean;
}

/**
 * of A^T, [n, rank], for those matrices that have an adapter. One product computes them all: products with so few
 * columns mostly read `of`.
 */
export function narrowProducts(
  graph: GraphBuilder,
  config: DecoderConfig,
  adapter: Adapter | undefined,
  { of, layer, parts, join, fewRows = false }: Narrowed,
): ReadonlyMap<Projection, Tensor> {
  const adapted = parts.filter((part) => adapter?.targets.includes(part));
  if (adapter === undefined || adapted.length === 0) return new Map();
  const { rank } = adapter;
  const { inputs } = projectionSizes(config, adapted[0]!);
  const names = adapted.map((part) => adapterParameter(layer, part, 'A'));
  const joint = join(names, [rank, inputs]);
  const all = graph.matmul(of, joint, { transposeRight: true, fewRows, coarse: true });
  const own = (index: number) => (names.length === 1 ? all : graph.slice(all, 1, index * rank, (index + 1) * rank));
  return new Map(adapted.map((part, index) => [part, own(index)]));
}

/**
 * whole + scale * (of A^T) B^T, if the adapter has this matrix. In DoRA each output is then multiplied by a factor,
 * except for its bias.
 */
export function addAdapter(
  graph: GraphBuilder,
  config: DecoderConfig,
  adapter: Adapter | undefined,
  { whole, narrow, layer, part, scale, fewRows = false }: Adapted,
): Tensor {
  if (adapter === undefined || narrow === undefined) return whole;
  const { outputs, bias } = projectionSizes(config, part);
  const { up } = factorsOf(graph, config, adapter, layer, part);
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
