import type { Executor } from '../executors/executor.js';
import type { Constants, State } from '../executors/state.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { headName, layerParameter, projectionSizes, PROJECTIONS } from '../model/parameters.js';
import { INT4_BLOCK } from '../operations/quantized-matmul.js';
import { elementCount } from '../operations/shapes.js';
import type { TensorType } from '../operations/tensor.js';
import type { MatrixProduct } from './decode-weights.js';
import { quantizeInt4, quantizeInt8 } from './quantize-rows.js';

/** Numbers of a copy of the weights. */
export type QuantizedFormat = 'int8' | 'int4';

/** Weights that are read and rounded at a time. */
const PART = 4e6;

/** Some of a message's 2 GB is left for the rest of the graph. */
const LARGEST_COPY = 2e9;

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
  const sizes = quantizedMatrices(config);
  // In the order of the weights, in which joined matrices are neighbours.
  const matrices = [...weights.shapes.keys()].flatMap((name) => {
    const size = sizes.get(name);
    return size ? [[name, size] as const] : [];
  });
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

/**
 * The bytes of a copy. Throws if it is larger than a session can hold: it is part of the session's model, a protobuf
 * message.
 */
export function copyBytes(config: DecoderConfig, format: QuantizedFormat): number {
  let bytes = 0;
  for (const [outputs, inputs] of quantizedMatrices(config).values()) {
    const [codes, scales] = copyTypes(format, outputs, inputs);
    bytes += elementCount(codes.shape) + Float32Array.BYTES_PER_ELEMENT * elementCount(scales.shape);
  }
  if (bytes < LARGEST_COPY) return bytes;
  const other = format === 'int8' ? 'int4 or float32' : 'float32';
  throw new Error(
    `a copy of this model in ${format} has ${(bytes / 1e9).toFixed(1)} GB, and a session holds 2: set samplingWeights to ${other}`,
  );
}

/** The matrices of layers and head: [outputs, inputs] by name. */
function quantizedMatrices(config: DecoderConfig): ReadonlyMap<string, readonly [number, number]> {
  const layers = Array.from({ length: config.layers }, (_, layer) =>
    PROJECTIONS.map((part) => {
      const { outputs, inputs } = projectionSizes(config, part);
      return [layerParameter(layer, part), [outputs, inputs]] as const;
    }),
  );
  return new Map([...layers.flat(), [headName(config), [config.vocabularySize, config.hiddenSize]]]);
}
