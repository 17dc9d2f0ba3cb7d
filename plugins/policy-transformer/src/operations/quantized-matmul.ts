/**
 * Products with quantized matrices, for sampling. Every row of the result depends only on its own row of `left`, to the
 * last bit.
 */
import { typeOf, type Operation } from './operation.js';
import { describeType, sameShape } from './shapes.js';
import type { TensorType } from './tensor.js';

/**
 * Largest absolute code of an 8-bit weight. Processors without VNNI add two products of an unsigned and a signed byte in
 * 16 bits, and saturate: 2 * 255 * 64 fits, 2 * 255 * 127 does not. (The instruction VPMADDUBSW.)
 */
export const LARGEST_INT8_CODE = 64;

/** Inputs of a block with a common scale. */
export const INT4_BLOCK = 32;

/** The code of 0 in 4 bits. */
export const INT4_ZERO = 8;

function inferProduct(
  name: string,
  inputs: readonly TensorType[],
  codesOf: (outputs: number, inputs: number) => TensorType,
  scalesOf: (outputs: number, inputs: number) => TensorType,
): readonly TensorType[] {
  const [left, codes, scales] = [typeOf(inputs, 0), typeOf(inputs, 1), typeOf(inputs, 2)];
  const [rows, width] = left.shape;
  const [outputs] = codes.shape;
  const is = (found: TensorType, wanted: TensorType) =>
    found.type === wanted.type && sameShape(found.shape, wanted.shape);
  const fits =
    rows !== undefined &&
    width !== undefined &&
    outputs !== undefined &&
    is(left, { shape: [rows, width], type: 'float32' }) &&
    is(codes, codesOf(outputs, width)) &&
    is(scales, scalesOf(outputs, width));
  if (!fits) throw new Error(`${name} of ${inputs.map(describeType).join(', ')}`);
  return [{ shape: [rows, outputs], type: 'float32' }];
}

function refuseGradient(name: string): () => never {
  return () => {
    throw new Error(`${name} has no derivative: train with float32 weights`);
  };
}

export const int8Matmul: Operation = {
  name: 'int8Matmul',
  infer: (inputs) =>
    inferProduct(
      'int8Matmul',
      inputs,
      (outputs, width) => ({ shape: [outputs, width], type: 'int8' }),
      (outputs) => ({ shape: [outputs], type: 'float32' }),
    ),
  gradient: refuseGradient('int8Matmul'),
};

export const int4Matmul: Operation = {
  name: 'int4Matmul',
  infer: (inputs) =>
    inferProduct(
      'int4Matmul',
      inputs,
      (outputs, width) => ({ shape: [outputs, Math.ceil(width / INT4_BLOCK), INT4_BLOCK / 2], type: 'uint8' }),
      (outputs, width) => ({ shape: [outputs, Math.ceil(width / INT4_BLOCK)], type: 'float32' }),
    ),
  gradient: refuseGradient('int4Matmul'),
};
