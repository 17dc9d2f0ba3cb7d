import type { ElementType, HostArray, Shape, Tensor } from './tensor.js';

/**
 * Values of ONNX attributes: whole numbers are INT, `{float}` is FLOAT, strings and lists of whole numbers as they are.
 */
export type OnnxAttribute = number | string | readonly number[] | { readonly float: number };

/** Domain of ONNX Runtime's own operators. */
export const MICROSOFT = 'com.microsoft';

/** What an operation writes its ONNX nodes to. Values go by name. */
export interface OnnxEmitter {
  /** The name under which a tensor's value is known. */
  name(tensor: Tensor): string;
  /** A fresh name for a value in between. */
  temporary(): string;
  /** Whether a tensor is the same in every run: computed only from constants and bound inputs. */
  isFixed(tensor: Tensor): boolean;
  /** Writes one node. Outputs are names from `name` or `temporary`; an empty string leaves one out. */
  node(
    operator: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes?: { readonly [name: string]: OnnxAttribute },
    domain?: string,
  ): void;
  /** A 1-D int64 constant, as shapes and axes are given. */
  integers(values: readonly number[]): string;
  /** The shape that a Reshape is told. */
  target(shape: Shape): string;
  constant(data: HostArray, shape: Shape): string;
}

/** ONNX's numbers for element types. */
export const ONNX_TYPES: { readonly [Type in ElementType]: number } = { float32: 1, int32: 6, bool: 9 };
