import type { TensorFlowType } from '../../lowering/tensorflow/graph-def.js';

/** Arrays that tensors are made of and read into. */
export type BindingArray = Float32Array | Int32Array | Uint8Array;

/**
 * What the addon of `@tensorflow/tfjs-node` and `@tensorflow/tfjs-node-gpu` offers of TensorFlow's C interface (its
 * binding/tfjs_binding.cc). The rest of these packages, which makes tensors of every operation, is not used. All
 * functions block, and throw what TensorFlow says.
 */
export interface TensorFlowBinding {
  readonly TF_Version: string;
  /** @param type TensorFlow's number. The tensor uses the memory of `data` where TensorFlow can. */
  createTensor(shape: readonly number[], type: number, data: BindingArray): number;
  deleteTensor(id: number): void;
  tensorDataSync(id: number): BindingArray;
  /** @param tags joined by commas */
  loadSavedModel(folder: string, tags: string): number;
  deleteSavedModel(id: number): void;
  /** @param inputs names of `node:output`, joined by commas */
  runSavedModel(
    id: number,
    tensors: readonly number[],
    inputs: string,
    outputs: string,
  ): readonly { readonly id: number; readonly shape: readonly number[]; readonly dtype: number }[];
}

/** Types that the addon makes tensors of. */
export type BindingType = Extract<TensorFlowType, 'float32' | 'int32' | 'bool' | 'uint8'>;
