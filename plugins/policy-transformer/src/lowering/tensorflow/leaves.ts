import { constant, input, state, stopGradient } from '../../operations/leaves.js';
import { result } from '../../operations/operation.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';
import { toNode } from './to-node.js';

export const tensorflowLeaves: readonly Lowering<TensorFlowEmitter>[] = [
  lowering(input, (emit, node) => emit.set(result(node), emit.leaf(node))),
  lowering(state, (emit, node) => emit.set(result(node), emit.leaf(node))),
  lowering(constant, (emit, node) =>
    emit.set(result(node), emit.constant(node.attributes.data, node.attributes.shape)),
  ),
  toNode(stopGradient, 'Identity'),
];
