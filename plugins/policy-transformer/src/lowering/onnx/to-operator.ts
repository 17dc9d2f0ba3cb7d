import { lowering, type Lowering } from '../lowerings.js';
import type { Operation } from '../../operations/operation.js';
import type { Node } from '../../operations/tensor.js';
import type { OnnxAttributes, OnnxEmitter } from './onnx-emitter.js';

/** A lowering to one ONNX operator with the same inputs and outputs. */
export function toOperator<Attributes>(
  operation: Operation<Attributes>,
  operator: string,
  attributes?: (node: Node<Attributes>) => OnnxAttributes,
): Lowering<OnnxEmitter> {
  return lowering(operation, (emit, node) =>
    emit.node(
      operator,
      node.inputs.map((tensor) => emit.name(tensor)),
      node.outputs.map((tensor) => emit.name(tensor)),
      attributes?.(node),
    ),
  );
}
