/** Type of a tensor's elements. Host arrays: Float32Array, Int32Array, Uint8Array (bool, 0 or 1). */
export type ElementType = 'float32' | 'int32' | 'bool';

/**
 * Concrete sizes, row-major. `[]` is a scalar. A size that a program leaves open is a number that represents it:
 * `Program.openSizes`.
 */
export type Shape = readonly number[];

export interface TensorType {
  readonly shape: Shape;
  readonly type: ElementType;
}

/** A symbolic tensor: one output of one node. Compared by identity; equal computations of one graph are one tensor. */
export interface Tensor extends TensorType {
  readonly node: Node;
  /** Which of the node's outputs this is. */
  readonly index: number;
}

/** One application of an operation. */
export interface Node<Attributes = unknown> {
  /** Rises with creation, so it is a topological order. */
  readonly id: number;
  /** The `Operation` that was applied; typed loosely, because operations are made of tensors. */
  readonly operation: { readonly name: string };
  readonly inputs: readonly Tensor[];
  readonly attributes: Attributes;
  readonly outputs: readonly Tensor[];
}

/** Host data of a tensor. */
export type HostArray = Float32Array | Int32Array | Uint8Array;

/** The element type that a host array holds. */
export function elementTypeOf(data: HostArray): ElementType {
  if (data instanceof Float32Array) return 'float32';
  return data instanceof Int32Array ? 'int32' : 'bool';
}
