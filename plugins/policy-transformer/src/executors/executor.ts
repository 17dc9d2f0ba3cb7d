import type { HostArray, Tensor, TensorType } from '../operations/tensor.js';

/** The outputs to compute, by name. Only nodes that they depend on are lowered. */
export interface Program {
  readonly outputs: { readonly [name: string]: Tensor };
  /**
   * Graph inputs that are bound permanently (weights of a sampling graph). The data is copied at compile time. Every
   * run needs all other inputs. Inputs of a run are not copied, every output is.
   */
  readonly initializers?: { readonly [name: string]: HostArray };
  /** Sizes that each run sets. The number represents the size in the graph's shapes: see `OpenSizes`. */
  readonly openSizes?: { readonly [name: string]: number };
}

/** Host arrays by name: float32 is a Float32Array, int32 an Int32Array, bool a Uint8Array. */
export type HostArrays = { readonly [name: string]: HostArray };

/** A compiled program. Not reentrant: await one run before the next. */
export interface Executable {
  /** Inputs that each run needs. */
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

/** Computes programs. It is safe in a worker thread: its only global state is the engine's. */
export interface Executor {
  readonly engine: 'onnxruntime-node' | 'onnxruntime-web';
  /** Version of the engine's library. */
  readonly version: string;
  /** Threads of one session. */
  readonly threads: number;
  compile(program: Program): Promise<Executable>;
}
