import { operand, result } from '../../operations/operation.js';
import { argMax, cumulativeSum, sum, topK } from '../../operations/reductions.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';

const INDEX = { type: 'int32' } as const;

export const tensorflowReductions: readonly Lowering<TensorFlowEmitter>[] = [
  lowering(sum, (emit, node) => {
    const of = operand(node, 0);
    const { axes, keep } = node.attributes;
    const attributes = { T: { type: of.type }, Tidx: INDEX, keep_dims: keep };
    emit.set(result(node), emit.node('Sum', [emit.value(of), emit.integers(axes)], attributes));
  }),
  lowering(cumulativeSum, (emit, node) => {
    const of = operand(node, 0);
    const { axis, reverse } = node.attributes;
    const attributes = { T: { type: of.type }, Tidx: INDEX, reverse };
    emit.set(result(node), emit.node('Cumsum', [emit.value(of), emit.integer(axis)], attributes));
  }),
  lowering(argMax, (emit, node) => {
    const of = operand(node, 0);
    const inputs = [emit.value(of), emit.integer(of.shape.length - 1)];
    emit.set(result(node), emit.node('ArgMax', inputs, { T: { type: of.type }, Tidx: INDEX, output_type: INDEX }));
  }),
  lowering(topK, (emit, node) => {
    const of = operand(node, 0);
    const found = emit.node('TopKV2', [emit.value(of), emit.integer(node.attributes.k)], { T: { type: of.type } });
    emit.set(result(node, 0), found);
    emit.set(result(node, 1), `${found}:1`);
  }),
];
