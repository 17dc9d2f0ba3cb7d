import type { Executor } from '../executors/executor.js';
import type { Constants, State } from '../executors/state.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { layerParameter, parameterShapes, PROJECTIONS } from '../model/parameters.js';
import { INT4_BLOCK } from '../operations/quantized-matmul.js';
import type { TensorType } from '../operations/tensor.js';
import { headName, type MatrixProduct } from './decode-weights.js';
import { quantizeInt4, quantizeInt8 } from './quantize-rows.js';

/** Numbers of a copy of the weights. */
export type QuantizedFormat = 'int8' | 'int4';

type Matrix = readonly [name: string, shape: readonly [outputs: number, inputs: number]];

/** Weights that are read and rounded at a time. */
const PART = 4e6;

const codesOf = (name: string): string => `${name}.codes`;
const scalesOf = (name: string): string => `${name}.scales`;

const rounding = { int8: quantizeInt8, int4: quantizeInt4 };

/** The types of the codes and scales of a matrix. */
function copyTypes(format: QuantizedFormat, outputs: number, inputs: number): readonly [TensorType, TensorType] {
  if (format === 'int8') {
    return [
      { shape: [outputs, inputs], type: 'int8' },
      { shape: [outputs], type: 'float32' },
    ];
  }
  const blocks = Math.ceil(inputs / INT4_BLOCK);
  return [
    { shape: [outputs, blocks, INT4_BLOCK / 2], type: 'uint8' },
    { shape: [outputs, blocks], type: 'float32' },
  ];
}

/** Products with the matrices of `quantizeWeights`. */
export function quantizedProduct(format: QuantizedFormat): MatrixProduct {
  return (graph, of, names, { outputs, inputs }) => {
    const [codesType, scalesType] = copyTypes(format, outputs, inputs);
    const codes = graph.state(names.map(codesOf), codesType.shape, codesType.type);
    const scales = graph.state(names.map(scalesOf), scalesType.shape, scalesType.type);
    return format === 'int8' ? graph.int8Matmul(of, codes, scales) : graph.int4Matmul(of, codes, scales);
  };
}

/**
 * A rounded copy of the matrices that a decode graph multiplies with: those of the layers and the head. The same weights
 * give the same copy.
 * @param weights the whole model without an adapter
 */
export async function quantizeWeights(
  executor: Pick<Executor, 'allocateConstants'>,
  config: DecoderConfig,
  weights: State,
  format: QuantizedFormat,
): Promise<Constants> {
  const matrices = quantizedMatrices(config, weights);
  const copy = executor.allocateConstants(
    new Map(
      matrices.flatMap(([name, [outputs, inputs]]) => {
        const [codes, scales] = copyTypes(format, outputs, inputs);
        return [[codesOf(name), codes] as const, [scalesOf(name), scales] as const];
      }),
    ),
  );
  for (const [name, [outputs, inputs]] of matrices) {
    const rows = Math.max(1, Math.floor(PART / inputs));
    for (let first = 0; first < outputs; first += rows) {
      const count = Math.min(rows, outputs - first);
      const part = await weights.read(name, first * inputs, count * inputs);
      const { codes, scales } = rounding[format](part, inputs);
      await copy.write(codesOf(name), codes, (first * codes.length) / count);
      await copy.write(scalesOf(name), scales, (first * scales.length) / count);
    }
  }
  return copy;
}

/** The matrices of layers and head, in the order of the weights, in which joined matrices are neighbours. */
function quantizedMatrices(config: DecoderConfig, weights: State): Matrix[] {
  const shapes = parameterShapes(config, { valueHead: false });
  const names = new Set([headName(config)]);
  for (let layer = 0; layer < config.layers; layer += 1) {
    for (const part of PROJECTIONS) names.add(layerParameter(layer, part));
  }
  const ordered = [...weights.shapes.keys()].filter((name) => names.has(name));
  return ordered.map((name) => [name, shapes.get(name) as [number, number]]);
}
