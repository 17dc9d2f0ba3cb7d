/**
 * Products with quantized matrices, for sampling. Every row of the result depends only on its own row of `left`, to the
 * last bit: ONNX Runtime's DynamicQuantizeMatMul has one scale for all rows, so it is not used, and MatMulNBits keeps
 * rows apart with blocks of 32 but not of 128.
 */
import { MICROSOFT, ONNX_TYPES, type OnnxAttribute } from './onnx-emitter.js';
import { operand, result, typeOf, type Operation } from './operation.js';
import { describeType, sameShape } from './shapes.js';
import type { TensorType } from './tensor.js';

/**
 * Largest absolute code of an 8-bit weight. Processors without VNNI add two products of an unsigned and a signed byte in
 * 16 bits, and saturate: 2 * 255 * 64 fits, 2 * 255 * 127 does not. (VPMADDUBSW; onnxruntime/core/mlas/lib/qgemm.h.)
 */
export const LARGEST_INT8_CODE = 64;

/** Inputs of a block with a common scale. */
export const INT4_BLOCK = 32;

/** The code of 0 in 4 bits. */
export const INT4_ZERO = 8;

/** Activations are codes from 1 to 255 around this one. */
const MIDDLE = 128;
/** The scale of a row of zeros: not 0, because the row is divided by it. */
const SMALLEST_SCALE = 1e-30;

type Attributes = { readonly [name: string]: OnnxAttribute };

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
  lower: (emit, node) => {
    const [left, codes, scales] = [0, 1, 2].map((index) => emit.name(operand(node, index))) as [string, string, string];
    const number = (value: number) => emit.constant(Float32Array.of(value), []);
    const step = (operator: string, inputs: readonly string[], attributes: Attributes = {}, domain = ''): string => {
      const out = emit.temporary();
      emit.node(operator, inputs, [out], attributes, domain);
      return out;
    };
    const largest = step('ReduceMax', [step('Abs', [left]), emit.integers([1])], { keepdims: 1 });
    const rowScales = step('Max', [step('Mul', [largest, number(1 / (MIDDLE - 1))]), number(SMALLEST_SCALE)]);
    // The cast cuts off the fraction, so the half makes it round.
    const shifted = step('Add', [step('Div', [left, rowScales]), number(MIDDLE + 0.5)]);
    const activations = step('Cast', [shifted], { to: ONNX_TYPES.uint8 });
    // Both are the same in every run if the codes are, and the engine computes them once.
    const middle = step('Cast', [number(MIDDLE)], { to: ONNX_TYPES.uint8 });
    const matrix = step('Transpose', [codes], { perm: [1, 0] });
    const sums = step('MatMulIntegerToFloat', [activations, matrix, number(1), scales, middle], {}, MICROSOFT);
    emit.node('Mul', [sums, rowScales], [emit.name(result(node))]);
  },
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
  lower: (emit, node) => {
    const [, width] = operand(node, 0).shape as [number, number];
    const [outputs] = result(node).shape.slice(1) as [number];
    emit.node(
      'MatMulNBits',
      node.inputs.map((tensor) => emit.name(tensor)),
      [emit.name(result(node))],
      // Level 4: activations are rounded to 8 bits, which is many times faster than float32.
      { K: width, N: outputs, bits: 4, block_size: INT4_BLOCK, accuracy_level: 4 },
      MICROSOFT,
    );
  },
};
