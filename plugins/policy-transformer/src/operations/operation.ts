import type { GraphBuilder } from './graph-builder.js';
import type { Node, Tensor, TensorType } from './tensor.js';

/** One gradient per output or input. `undefined` means zero. */
type Gradients = readonly (Tensor | undefined)[];

/** The meaning of one operation. How a backend computes it is in `lowering/`. */
export interface Operation<Attributes = unknown> {
  readonly name: string;
  /** The shape rule: types of the outputs, or an error that names the shapes. */
  infer(inputs: readonly TensorType[], attributes: Attributes): readonly TensorType[];
  /** The vector-Jacobian product, built in the same graph. Without it, no derivative flows to the inputs. */
  gradient?(graph: GraphBuilder, node: Node<Attributes>, outputs: Gradients): Gradients;
}

/** Input `index` of a node. */
export function operand(node: Node, index: number): Tensor {
  const tensor = node.inputs[index];
  if (tensor === undefined) throw new Error(`${node.operation.name} has no input ${index}`);
  return tensor;
}

/** Output `index` of a node. */
export function result(node: Node, index = 0): Tensor {
  const tensor = node.outputs[index];
  if (tensor === undefined) throw new Error(`${node.operation.name} has no output ${index}`);
  return tensor;
}

/** The type of input `index`, for shape rules. */
export function typeOf(inputs: readonly TensorType[], index: number): TensorType {
  const type = inputs[index];
  if (type === undefined) throw new Error(`input ${index} is missing`);
  return type;
}
