import type { HostArray, Node, Shape, Tensor } from '../../operations/tensor.js';
import type { TensorFlowAttributes } from './graph-def.js';

/** Receives the TensorFlow nodes that an operation writes. Values are referred to as `node` or `node:output`. */
export interface TensorFlowEmitter {
  /** The value of a tensor. */
  value(tensor: Tensor): string;
  /** The value of a float32 tensor as bfloat16. */
  half(tensor: Tensor): string;
  /** The type in which products are computed that may be coarse. */
  readonly coarseType: 'float32' | 'bfloat16';
  /** Says which value a tensor has. */
  set(tensor: Tensor, value: string): void;
  /** Writes one node. Returns its first output. */
  node(operator: string, inputs: readonly string[], attributes?: TensorFlowAttributes): string;
  /** The value of an input or a state. */
  leaf(node: Node): string;
  /** A 1-D int32 value, for shapes and ranges; open sizes are those of the run. */
  integers(values: readonly number[]): string;
  /** A scalar int32 value, which may be an open size. */
  integer(value: number): string;
  /** The shape input of a Reshape. */
  target(shape: Shape): string;
  constant(data: HostArray, shape: Shape): string;
}
