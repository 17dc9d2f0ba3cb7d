import type { ElementType, HostArray, Shape, Tensor } from '../../operations/tensor.js';

/**
 * Values of ONNX attributes: whole numbers are INT, `{float}` is FLOAT, strings STRING, lists of whole numbers INTS.
 */
export type OnnxAttribute = number | string | readonly number[] | { readonly float: number };

export type OnnxAttributes = { readonly [name: string]: OnnxAttribute };

/** Domain of ONNX Runtime's own operators. */
export const MICROSOFT = 'com.microsoft';

/** Receives the ONNX nodes that an operation writes. Values are referred to by name. */
export interface OnnxEmitter {
  /** The name of a tensor's value. */
  name(tensor: Tensor): string;
  /** A new name for an intermediate value. */
  temporary(): string;
  /** Whether a tensor is the same in every run: computed only from constants and bound inputs. */
  isFixed(tensor: Tensor): boolean;
  /** Writes one node. Outputs are names from `name` or `temporary`; an empty string leaves one out. */
  node(
    operator: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes?: OnnxAttributes,
    domain?: string,
  ): void;
  /** A 1-D int64 constant, for shapes and axes. */
  integers(values: readonly number[]): string;
  /** The shape input of a Reshape. */
  target(shape: Shape): string;
  constant(data: HostArray, shape: Shape): string;
}

/** ONNX's numbers for element types. */
export const ONNX_TYPES: { readonly [Type in ElementType]: number } = {
  float32: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  bool: 9,
};
