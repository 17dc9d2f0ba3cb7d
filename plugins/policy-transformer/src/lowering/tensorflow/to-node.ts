import type { Operation } from '../../operations/operation.js';
import type { Node } from '../../operations/tensor.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { TensorFlowAttributes } from './graph-def.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';

/**
 * A lowering to one TensorFlow operator with the same inputs and outputs. Its attribute `T` is the type of the last
 * input: those before it may be conditions.
 */
export function toNode<Attributes>(
  operation: Operation<Attributes>,
  operator: string,
  attributes?: (node: Node<Attributes>) => TensorFlowAttributes,
): Lowering<TensorFlowEmitter> {
  return lowering(operation, (emit, node) => {
    const { type } = node.inputs.at(-1)!;
    const inputs = node.inputs.map((tensor) => emit.value(tensor));
    const name = emit.node(operator, inputs, attributes?.(node) ?? { T: { type } });
    node.outputs.forEach((tensor, index) => emit.set(tensor, index === 0 ? name : `${name}:${index}`));
  });
}
