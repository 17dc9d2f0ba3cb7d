import type { HostArray, Shape, Tensor, TensorType } from '../operations/tensor.js';
import type { Append, CacheShape, CacheState, Constants, State, StateArrays, StateView } from './state.js';

/** A computation: what it returns, and what it changes in the executor's state. Only nodes that these need are lowered. */
export interface Program {
  readonly outputs: { readonly [name: string]: Tensor };
  /** New values of state, by its name. Every value is computed before state changes. */
  readonly assign?: { readonly [state: string]: Tensor };
  /** What each run adds to state, by its name. */
  readonly add?: { readonly [state: string]: Tensor };
  /** New keys and values for a cache, by its state's name: [rows, keyValueHeads, width, headWidth]. */
  readonly append?: { readonly [state: string]: Tensor };
  /** State whose present numbers become constants of the program. Runs give all other state. */
  readonly fixed?: StateView;
  /** Sizes that each run sets. The number represents the size in the graph's shapes: see `OpenSizes`. */
  readonly openSizes?: { readonly [name: string]: number };
}

/** Host arrays by name. `holdsType` says which array holds which type. */
export type HostArrays = { readonly [name: string]: HostArray };

export interface RunOptions {
  /** The open sizes, if the program has any. */
  readonly sizes?: { readonly [name: string]: number };
  /** Where the program finds its state. Names must be unique. */
  readonly state?: readonly StateView[];
  /** State of bfloat16 is rounded at random: equal numbers with equal seeds give equal bits. Default: 0. */
  readonly roundingSeed?: number;
  /** For a program that appends: where the new keys and values of each row go; `undefined` if they are not kept. */
  readonly appendTo?: { readonly cache: CacheState; readonly rows: readonly (Append | undefined)[] };
}

/** A compiled program. Not reentrant: await one run before the next. */
export interface Executable {
  /** Inputs that each run needs. */
  readonly inputs: ReadonlyMap<string, TensorType>;
  readonly outputs: ReadonlyMap<string, TensorType>;
  /**
   * Runs once and blocks the calling thread. Inputs are read in place, not copied. Inputs that the program does not
   * read are ignored. Throws if an input or a state is missing or has the wrong length or type.
   */
  run(inputs: HostArrays, options?: RunOptions): Promise<{ readonly [name: string]: HostArray }>;
  dispose(): Promise<void>;
}

/** Shapes that keep the bits of a row independent of the rows that share its run. */
export interface RowRules {
  /** A matrix product has at least so many rows, unless it is marked with `fewRows`. */
  readonly leastRows: number;
  /** A product that is marked with `fewRows` has from one to this many rows. */
  readonly mostFewRows: number;
  /** New tokens of a row, if it has more than one, are padded to a multiple. */
  readonly widthMultiple: number;
  /** Capacities of caches are multiples. */
  readonly capacityMultiple: number;
  /** Whether a run may read a cache without positions, which saves the work on masked ones. */
  readonly allowsEmptyCache: boolean;
}

/** In which numbers the matrices of layers are multiplied. All other numbers are float32. */
export type Precision = 'float32' | 'bfloat16';

/**
 * Computes programs and owns the state that they read and change. It is safe in a worker thread: its only global state
 * is the engine's.
 */
export interface Executor {
  /** Name of the engine. */
  readonly engine: string;
  /** Version of the engine's library. */
  readonly version: string;
  /** Threads of one session. */
  readonly threads: number;
  readonly rowRules: RowRules;
  /**
   * Weights of up to this many bytes are worth a program of their own (`Program.fixed`), which is compiled for each
   * policy version. It depends on the engine alone, because the two ways may round differently.
   */
  readonly mostFixedBytes: number;
  /** Weights of up to this many bytes that never change are worth one program in which they are constants. */
  readonly mostConstantBytes: number;
  /**
   * Whether products of one row with one matrix after the other, which read it in place, are faster than one product of
   * several rows, for which the engine rearranges the matrix first. Default: false.
   */
  readonly readsRowByRow?: boolean;
  /** Numbers that a run of a program on long vectors takes at a time (`VectorProgram`). It affects only speed. */
  readonly vectorLength: number;
  /** @param data all arrays, in the order of `shapes`; the state may keep it. Default: zeros. */
  allocate(shapes: ReadonlyMap<string, Shape>, data?: Float32Array): State;
  /**
   * Zeros that are kept as bfloat16, in half of the memory. What a run assigns is rounded up or down at random, so that
   * the mean is exact and small changes are not lost.
   */
  allocateRounded(shapes: ReadonlyMap<string, Shape>): StateArrays;
  /** Arrays of zeros that `write` sets. */
  allocateConstants(types: ReadonlyMap<string, TensorType>): Constants;
  allocateCache(shape: CacheShape): CacheState;
  compile(program: Program): Promise<Executable>;
  /** Frees what the engine holds. State and programs are of no use after it. */
  dispose(): Promise<void>;
}
