/** TensorFlow has no product of these formats that keeps rows apart, so weights are widened in every run. */
import { operand, result } from '../../operations/operation.js';
import { INT4_BLOCK, INT4_ZERO, int4Matmul, int8Matmul } from '../../operations/quantized-matmul.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';

const T = { type: 'float32' } as const;
const INDEX = { type: 'int32' } as const;
const BYTE = { type: 'uint8' } as const;
/** Steps of 8 bits on each side of 0. */
const STEPS = 127;
/** The scale of zeros: not 0, because numbers are divided by it. */
const SMALLEST_SCALE = 1e-30;

export const tensorflowQuantizedProducts: readonly Lowering<TensorFlowEmitter>[] = [
  lowering(int8Matmul, (emit, node) => {
    const [left, codes, scales] = [0, 1, 2].map((index) => emit.value(operand(node, index))) as [
      string,
      string,
      string,
    ];
    const weights = emit.node('Cast', [codes], { SrcT: { type: 'int8' }, DstT: T });
    const sums = emit.node('MatMul', [rounded(emit, left, 1), weights], { T, transpose_b: true });
    emit.set(result(node), emit.node('Mul', [sums, scales], { T }));
  }),
  lowering(int4Matmul, (emit, node) => {
    const [left, codes, scales] = [0, 1, 2].map((index) => emit.value(operand(node, index))) as [
      string,
      string,
      string,
    ];
    const [rows, width] = operand(node, 0).shape as [number, number];
    const [outputs, blocks] = operand(node, 2).shape as [number, number];
    const reshaped = (value: string, shape: readonly number[]) =>
      emit.node('Reshape', [value, emit.integers(shape)], { T, Tshape: INDEX });
    const spare = emit.constant(Int32Array.of(0, 0, 0, blocks * INT4_BLOCK - width), [2, 2]);
    const whole = emit.node('Pad', [left, spare], { T, Tpaddings: INDEX });
    const activations = rounded(emit, reshaped(whole, [rows, blocks, INT4_BLOCK]), 2);
    const byte = (value: number) => emit.node('Cast', [emit.integer(value)], { SrcT: INDEX, DstT: BYTE });
    const halves = [
      emit.node('BitwiseAnd', [codes, byte(15)], { T: BYTE }),
      emit.node('RightShift', [codes, byte(4)], { T: BYTE }),
    ];
    const pairs = emit.node('Pack', halves, { N: 2, T: BYTE, axis: 3 });
    const numbers = emit.node('Cast', [pairs], { SrcT: BYTE, DstT: T });
    const centred = emit.node('Sub', [numbers, emit.constant(Float32Array.of(INT4_ZERO), [])], { T });
    const weights = emit.node(
      'Mul',
      [reshaped(centred, [outputs, blocks, INT4_BLOCK]), reshaped(scales, [outputs, blocks, 1])],
      { T },
    );
    const flat = [
      reshaped(activations, [rows, blocks * INT4_BLOCK]),
      reshaped(weights, [outputs, blocks * INT4_BLOCK]),
    ];
    emit.set(result(node), emit.node('MatMul', flat, { T, transpose_b: true }));
  }),
];

/** Numbers rounded to 8 bits, with a scale for each vector along an axis. */
function rounded(emit: TensorFlowEmitter, of: string, axis: number): string {
  const number = (value: number) => emit.constant(Float32Array.of(value), []);
  const sizes = emit.node('Abs', [of], { T });
  const largest = emit.node('Max', [sizes, emit.integers([axis])], { T, Tidx: INDEX, keep_dims: true });
  const steps = emit.node('Mul', [largest, number(1 / STEPS)], { T });
  const scale = emit.node('Maximum', [steps, number(SMALLEST_SCALE)], { T });
  const codes = emit.node('Round', [emit.node('RealDiv', [of, scale], { T })], { T });
  return emit.node('Mul', [codes, scale], { T });
}
