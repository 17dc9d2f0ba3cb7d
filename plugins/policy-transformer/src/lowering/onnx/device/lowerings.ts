import { scaledAttention } from '../../../operations/attention.js';
import { matmul } from '../../../operations/matmul.js';
import { rmsNorm } from '../../../operations/normalization.js';
import { operand, result } from '../../../operations/operation.js';
import { sizeOf } from '../../../operations/shapes.js';
import { logSoftmax, tokenStatistics } from '../../../operations/softmax.js';
import type { Shape } from '../../../operations/tensor.js';
import { Lowerings, lowering } from '../../lowerings.js';
import { onnxLowerings } from '../lowerings.js';
import type { OnnxAttributes, OnnxEmitter } from '../onnx-emitter.js';

/**
 * What ONNX Runtime computes on the processor although the rest is on a device, or computes wrongly there, is written with
 * other operators: FusedMatMul and LogSoftmax have no kernel for WebGPU, and SimplifiedLayerNormalization does not set its
 * second output.
 */
export const onnxDeviceLowerings = new Lowerings<OnnxEmitter>('onnx on a device', [
  ...onnxLowerings.without([matmul, scaledAttention, rmsNorm, logSoftmax, tokenStatistics]),
  lowering(matmul, (emit, node) => {
    const { transposeLeft, transposeRight, scale } = node.attributes;
    const [left, right] = [emit.name(operand(node, 0)), emit.name(operand(node, 1))];
    const out = emit.name(result(node));
    if (node.inputs.every(({ shape }) => shape.length === 2)) {
      const flags = { transA: Number(transposeLeft), transB: Number(transposeRight), alpha: { float: scale } };
      emit.node('Gemm', [left, right], [out], flags);
      return;
    }
    const turned = (name: string, isTurned: boolean, index: number) =>
      isTurned ? step(emit, 'Transpose', [name], { perm: swapped(operand(node, index).shape) }) : name;
    const factors = [turned(left, transposeLeft, 0), turned(right, transposeRight, 1)];
    if (scale === 1) emit.node('MatMul', factors, [out]);
    else emit.node('Mul', [step(emit, 'MatMul', factors), number(emit, scale)], [out]);
  }),
  lowering(scaledAttention, (emit, node) => {
    const [query, key, value, bias] = node.inputs.map((tensor) => emit.name(tensor)) as [
      string,
      string,
      string,
      string,
    ];
    const keys = step(emit, 'Transpose', [key], { perm: swapped(operand(node, 1).shape) });
    const products = step(emit, 'MatMul', [query, keys]);
    const scores = step(emit, 'Mul', [products, number(emit, node.attributes.scale)]);
    const probabilities = emit.name(result(node, 1));
    emit.node('Softmax', [step(emit, 'Add', [scores, bias])], [probabilities]);
    emit.node('MatMul', [probabilities, value], [emit.name(result(node))]);
  }),
  lowering(rmsNorm, (emit, node) => {
    const of = emit.name(operand(node, 0));
    const squares = step(emit, 'Mul', [of, of]);
    const mean = step(emit, 'ReduceMean', [squares, emit.integers([operand(node, 0).shape.length - 1])]);
    const root = step(emit, 'Sqrt', [step(emit, 'Add', [mean, number(emit, node.attributes.epsilon)])]);
    const factor = emit.name(result(node, 1));
    emit.node('Reciprocal', [root], [factor]);
    emit.node('Mul', [step(emit, 'Mul', [of, factor]), emit.name(operand(node, 1))], [emit.name(result(node))]);
  }),
  lowering(logSoftmax, (emit, node) => {
    const of = emit.name(operand(node, 0));
    logs(emit, of, operand(node, 0).shape, emit.name(result(node)));
  }),
  lowering(tokenStatistics, (emit, node) => {
    const [logprob, entropy, log, probabilities] = node.outputs.map((tensor) => emit.name(tensor)) as [
      string,
      string,
      string,
      string,
    ];
    const { shape } = operand(node, 0);
    const count = sizeOf(shape, 0);
    logs(emit, emit.name(operand(node, 0)), shape, log);
    emit.node('Exp', [log], [probabilities]);
    const negative = step(emit, 'ReduceSum', [step(emit, 'Mul', [log, probabilities]), emit.integers([1])], {
      keepdims: 0,
    });
    emit.node('Neg', [negative], [entropy]);
    const column = step(emit, 'Reshape', [emit.name(operand(node, 1)), emit.integers([count, 1])]);
    const picked = step(emit, 'GatherElements', [log, column], { axis: 1 });
    emit.node('Reshape', [picked, emit.integers([count])], [logprob]);
  }),
]);

/** x - max - log(sum(exp(x - max))) over the last axis. */
function logs(emit: OnnxEmitter, of: string, shape: Shape, out: string): void {
  const axis = emit.integers([shape.length - 1]);
  const shifted = step(emit, 'Sub', [of, step(emit, 'ReduceMax', [of, axis])]);
  const total = step(emit, 'ReduceSum', [step(emit, 'Exp', [shifted]), axis]);
  emit.node('Sub', [shifted, step(emit, 'Log', [total])], [out]);
}

function step(emit: OnnxEmitter, operator: string, inputs: readonly string[], attributes: OnnxAttributes = {}): string {
  const out = emit.temporary();
  emit.node(operator, inputs, [out], attributes);
  return out;
}

function number(emit: OnnxEmitter, value: number): string {
  return emit.constant(Float32Array.of(value), []);
}

/** The order of axes that swaps the last two. */
function swapped({ length }: Shape): number[] {
  return Array.from({ length }, (_, axis) => (axis < length - 2 ? axis : 2 * length - 3 - axis));
}
