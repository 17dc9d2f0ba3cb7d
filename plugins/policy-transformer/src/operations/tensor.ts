/** Type of a tensor's elements. The last two hold quantized weights. */
export type ElementType = 'float32' | 'int32' | 'bool' | 'int8' | 'uint8';

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

/** Host data of a tensor. A bool is 0 or 1 in a Uint8Array. */
export type HostArray = Float32Array | Int32Array | Uint8Array | Int8Array;

const ARRAYS = { float32: Float32Array, int32: Int32Array, bool: Uint8Array, int8: Int8Array, uint8: Uint8Array };

/** Whether an array can be the data of a tensor of this type. */
export function holdsType(data: HostArray, type: ElementType): boolean {
  return data instanceof ARRAYS[type];
}

/** The type of a constant. A Uint8Array is bool: only state is int8 or uint8. */
export function constantType(data: HostArray): ElementType {
  const type = (['float32', 'int32', 'bool'] as const).find((each) => holdsType(data, each));
  if (type === undefined) throw new Error(`a constant cannot be a ${data.constructor.name}`);
  return type;
}

/** Zeros. */
export function newArray(type: ElementType, length: number): HostArray {
  return new ARRAYS[type](length);
}
