import { concat, expand, pad, reshape, slice, transpose } from '../../operations/layout.js';
import { operand, result } from '../../operations/operation.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { OnnxEmitter } from './onnx-emitter.js';
import { toOperator } from './to-operator.js';

export const onnxLayout: readonly Lowering<OnnxEmitter>[] = [
  lowering(reshape, (emit, node) =>
    emit.node('Reshape', [emit.name(operand(node, 0)), emit.target(node.attributes.shape)], [emit.name(result(node))], {
      allowzero: 1,
    }),
  ),
  toOperator(transpose, 'Transpose', ({ attributes: { order } }) => ({ perm: order })),
  lowering(slice, (emit, node) => {
    const { axis, start, end } = node.attributes;
    const ranges = [start, end, axis].map((value) => emit.integers([value]));
    emit.node('Slice', [emit.name(operand(node, 0)), ...ranges], [emit.name(result(node))]);
  }),
  lowering(pad, (emit, node) => {
    const { axis, before, after } = node.attributes;
    const rank = result(node).shape.length;
    const pads = Array<number>(2 * rank)
      .fill(0)
      .with(axis, before)
      .with(rank + axis, after);
    emit.node('Pad', [emit.name(operand(node, 0)), emit.integers(pads)], [emit.name(result(node))]);
  }),
  toOperator(concat, 'Concat', ({ attributes: { axis } }) => ({ axis })),
  lowering(expand, (emit, node) =>
    emit.node('Expand', [emit.name(operand(node, 0)), emit.integers(node.attributes.shape)], [emit.name(result(node))]),
  ),
];
