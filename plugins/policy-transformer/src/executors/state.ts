import type { HostArray, Shape, TensorType } from '../operations/tensor.js';

/** Arrays of state by name, as one run reads and changes them. */
export interface StateView {
  has(name: string): boolean;
}

/** Types in which numbers of state are kept. */
export type StateType = 'float32' | 'bfloat16';

/**
 * Named arrays that live where an executor computes, of one type. Programs read them as float32 and change them by name
 * (`Graph.state`, `Program.assign`). Other code only copies numbers in and out.
 */
export interface StateArrays extends StateView {
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly type: StateType;
  /** A copy of one array, or of `count` numbers of it from `start` on. */
  read(name: string, start?: number, count?: number): Promise<Float32Array>;
  /** Replaces one array, or the numbers from `start` on. Throws if the data has another length, or does not fit. */
  write(name: string, data: Float32Array, start?: number): Promise<void>;
  /**
   * `count` numbers of an array from `start` on, flat and under another name. They may reach into the arrays that follow
   * it in the order of `shapes`. It is the same memory.
   */
  part(name: string, as: string, start: number, count: number): StateView;
  /** Frees the memory. */
  dispose(): Promise<void>;
}

/** Arrays of float32 to which programs can also add (`Program.add`): parameters, gradients, moments. */
export interface State extends StateArrays {
  readonly type: 'float32';
  /** A copy of all arrays, one after the other in the order of `shapes`. */
  readAll(): Promise<Float32Array>;
  /** Replaces all arrays. Throws if the data has another length. */
  writeAll(data: Float32Array): Promise<void>;
  /** Adds to all arrays. */
  addAll(data: Float32Array): Promise<void>;
  /** Sets every number to 0. */
  clear(): Promise<void>;
  /** The same arrays under other names: a run that asks for `name` gets the array `rename(name)`. */
  renamed(rename: (name: string) => string): StateView;
}

/**
 * Named arrays of any type that programs only read, such as quantized weights. They are usually large, so they are written
 * in parts.
 */
export interface Constants extends StateView {
  readonly types: ReadonlyMap<string, TensorType>;
  /** Replaces the numbers of an array from `start` on. Throws if they do not fit or have another type. */
  write(name: string, data: HostArray, start: number): Promise<void>;
}

/** Sizes of one token's keys (or values) in one layer, and how many layers there are. */
export interface CacheShape {
  readonly layers: number;
  readonly keyValueHeads: number;
  readonly headWidth: number;
}

/** Where the new keys and values of one row of a run go: the first `count` of them, from a position of a slot on. */
export interface Append {
  readonly slot: number;
  readonly position: number;
  readonly count: number;
}

/**
 * Keys and values of sequences, where an executor computes. Every layer has the state `keys.N` and `values.N`, [slots,
 * keyValueHeads, capacity, headWidth]. A program reads a range of slots (`window`) and appends (`Program.append`). Rows
 * are slots.
 */
export interface CacheState {
  readonly slots: number;
  /** Positions of a slot. */
  readonly capacity: number;
  /**
   * Makes room for at least `slots` slots of at least `capacity` positions. The first `length` positions of the `kept`
   * slots keep their content. Nothing shrinks.
   */
  reserve(slots: number, capacity: number, kept: readonly { readonly slot: number; readonly length: number }[]): void;
  /** Uses the same memory for slots of another capacity. Their content is lost. */
  reshape(capacity: number): void;
  /** Frees the memory. */
  clear(): void;
  /** Copies the first `length` positions of a slot to another slot. */
  copyRows(from: number, to: number, length: number): void;
  /** Exchanges two slots. */
  swapRows(a: number, b: number): void;
  /** `count` slots from `first` on. */
  window(first: number, count: number): StateView;
}
