import { concat, expand, pad, reshape, slice, transpose } from '../../operations/layout.js';
import { operand, result } from '../../operations/operation.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';

const INDEX = { type: 'int32' } as const;

export const tensorflowLayout: readonly Lowering<TensorFlowEmitter>[] = [
  lowering(reshape, (emit, node) => {
    const of = operand(node, 0);
    const inputs = [emit.value(of), emit.target(node.attributes.shape)];
    emit.set(result(node), emit.node('Reshape', inputs, { T: { type: of.type }, Tshape: INDEX }));
  }),
  lowering(transpose, (emit, node) => {
    const of = operand(node, 0);
    const inputs = [emit.value(of), emit.integers(node.attributes.order)];
    emit.set(result(node), emit.node('Transpose', inputs, { T: { type: of.type }, Tperm: INDEX }));
  }),
  lowering(slice, (emit, node) => {
    const { axis, start, end } = node.attributes;
    const of = operand(node, 0);
    // -1 takes all that is left of an axis.
    const sizes = of.shape.map((_, other) => (other === axis ? end - start : -1));
    const begins = of.shape.map((_, other) => (other === axis ? start : 0));
    const inputs = [emit.value(of), emit.integers(begins), emit.integers(sizes)];
    emit.set(result(node), emit.node('Slice', inputs, { T: { type: of.type }, Index: INDEX }));
  }),
  lowering(pad, (emit, node) => {
    const { axis, before, after } = node.attributes;
    const { shape } = result(node);
    const flat = emit.integers(shape.flatMap((_, other) => (other === axis ? [before, after] : [0, 0])));
    const sizes = emit.node('Reshape', [flat, emit.integers([shape.length, 2])], { T: INDEX, Tshape: INDEX });
    const inputs = [emit.value(operand(node, 0)), sizes];
    emit.set(result(node), emit.node('Pad', inputs, { T: { type: 'float32' }, Tpaddings: INDEX }));
  }),
  lowering(concat, (emit, node) => {
    const inputs = [...node.inputs.map((tensor) => emit.value(tensor)), emit.integer(node.attributes.axis)];
    const attributes = { N: node.inputs.length, T: { type: result(node).type }, Tidx: INDEX };
    emit.set(result(node), emit.node('ConcatV2', inputs, attributes));
  }),
  lowering(expand, (emit, node) => {
    const inputs = [emit.value(operand(node, 0)), emit.integers(node.attributes.shape)];
    emit.set(result(node), emit.node('BroadcastTo', inputs, { T: { type: result(node).type }, Tidx: INDEX }));
  }),
];
