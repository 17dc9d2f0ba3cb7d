import { operand, result } from '../../operations/operation.js';
import { argMax, cumulativeSum, sum, topK } from '../../operations/reductions.js';
import { lowering, type Lowering } from '../lowerings.js';
import { ONNX_TYPES, type OnnxEmitter } from './onnx-emitter.js';

/** From this length on, it is faster to turn the last axis for CumSum than to let it add number by number. */
const LONG = 64;

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
    const [of, out] = [emit.name(operand(node, 0)), emit.name(result(node))];
    const sums = (input: string, output: string, along: number) =>
      emit.node('CumSum', [input, emit.constant(Int32Array.of(along), [])], [output], { reverse: Number(reverse) });
    const { shape } = result(node);
    if (shape.length === 1 || axis < shape.length - 1 || shape[axis]! < LONG) {
      sums(of, out, axis);
      return;
    }
    // The same additions, but of whole rows: of 32 rows of 512, three times as fast.
    const others = [...shape.keys()].slice(0, -1);
    const [turned, summed] = [emit.temporary(), emit.temporary()];
    emit.node('Transpose', [of], [turned], { perm: [axis, ...others] });
    sums(turned, summed, 0);
    emit.node('Transpose', [summed], [out], { perm: [...others.map((other) => other + 1), 0] });
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
