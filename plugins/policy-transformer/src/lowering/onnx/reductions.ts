import { operand, result } from '../../operations/operation.js';
import { argMax, cumulativeSum, sum, topK } from '../../operations/reductions.js';
import { lowering, type Lowering } from '../lowerings.js';
import { ONNX_TYPES, type OnnxEmitter } from './onnx-emitter.js';

export const onnxReductions: readonly Lowering<OnnxEmitter>[] = [
  lowering(sum, (emit, node) => {
    const { axes, keep } = node.attributes;
    emit.node('ReduceSum', [emit.name(operand(node, 0)), emit.integers(axes)], [emit.name(result(node))], {
      keepdims: Number(keep),
      noop_with_empty_axes: 1,
    });
  }),
  lowering(cumulativeSum, (emit, node) => {
    const { axis, reverse } = node.attributes;
    const axisName = emit.constant(Int32Array.of(axis), []);
    emit.node('CumSum', [emit.name(operand(node, 0)), axisName], [emit.name(result(node))], {
      reverse: Number(reverse),
    });
  }),
  lowering(argMax, (emit, node) => {
    const long = emit.temporary();
    emit.node('ArgMax', [emit.name(operand(node, 0))], [long], { axis: -1, keepdims: 0 });
    emit.node('Cast', [long], [emit.name(result(node))], { to: ONNX_TYPES.int32 });
  }),
  lowering(topK, (emit, node) => {
    const long = emit.temporary();
    const k = emit.integers([node.attributes.k]);
    emit.node('TopK', [emit.name(operand(node, 0)), k], [emit.name(result(node, 0)), long], { axis: -1 });
    emit.node('Cast', [long], [emit.name(result(node, 1))], { to: ONNX_TYPES.int32 });
  }),
];
