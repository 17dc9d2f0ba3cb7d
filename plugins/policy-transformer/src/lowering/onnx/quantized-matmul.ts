/**
 * ONNX Runtime's DynamicQuantizeMatMul has one scale for all rows, so it is not used. MatMulNBits keeps rows apart with
 * blocks of 32 but not of 128.
 */
import { operand, result } from '../../operations/operation.js';
import { INT4_BLOCK, int4Matmul, int8Matmul } from '../../operations/quantized-matmul.js';
import { lowering, type Lowering } from '../lowerings.js';
import { MICROSOFT, ONNX_TYPES, type OnnxAttributes, type OnnxEmitter } from './onnx-emitter.js';

/** Activations are codes from 1 to 255 around this one. */
const MIDDLE = 128;
/** The scale of a row of zeros: not 0, because the row is divided by it. */
const SMALLEST_SCALE = 1e-30;

export const onnxQuantizedProducts: readonly Lowering<OnnxEmitter>[] = [
  lowering(int8Matmul, (emit, node) => {
    const [left, codes, scales] = [0, 1, 2].map((index) => emit.name(operand(node, index))) as [string, string, string];
    const number = (value: number) => emit.constant(Float32Array.of(value), []);
    const step = (
      operator: string,
      inputs: readonly string[],
      attributes: OnnxAttributes = {},
      domain = '',
    ): string => {
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
  }),
  lowering(int4Matmul, (emit, node) => {
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
  }),
];
