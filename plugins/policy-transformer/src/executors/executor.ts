import type { HostArray, Tensor, TensorType } from '../operations/tensor.js';

/** The outputs to compute, by name. Their inputs are found from there, and nothing else is lowered. */
export interface Program {
  readonly outputs: { readonly [name: string]: Tensor };
  /**
   * Graph inputs that are bound for good (weights of a sampling graph); the data is copied at compile time. All other
   * inputs must be given to every run. Large tensors enter a run for free; every output is copied.
   */
  readonly initializers?: { readonly [name: string]: HostArray };
  /** Sizes that each run decides, by the number that stands for them in the graph's shapes: see `OpenSizes`. */
  readonly openSizes?: { readonly [name: string]: number };
}

/** Host arrays by name: float32 is a Float32Array, int32 an Int32Array, bool a Uint8Array. */
export type HostArrays = { readonly [name: string]: HostArray };

/** A compiled program. Not reentrant: await one run before the next. */
export interface Executable {
  /** What a run must be given. */
  readonly inputs: ReadonlyMap<string, TensorType>;
  readonly outputs: ReadonlyMap<string, TensorType>;
  /**
   * Runs once and blocks the calling thread. Inputs are read in place, not copied. Inputs that the program does not
   * read are ignored. Throws if an input is missing or has the wrong length or type.
   * @param sizes the open sizes, if the program has any
   */
  run(inputs: HostArrays, sizes?: { readonly [name: string]: number }): Promise<{ readonly [name: string]: HostArray }>;
  dispose(): Promise<void>;
}

/** Computes programs. Safe in a worker thread; owns no global state but the engine's own. */
export interface Executor {
  readonly engine: 'onnxruntime-node' | 'onnxruntime-web';
  /** Version of the engine's library. */
  readonly version: string;
  /** Threads of one session. */
  readonly threads: number;
  compile(program: Program): Promise<Executable>;
}
