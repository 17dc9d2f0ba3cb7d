import type { ProgramTensors } from '../lowering/places.js';
import {
  scalarPlace,
  sumPlace,
  VECTOR_CHUNK,
  vectorModule,
  vectorPlace,
  type VectorModule,
} from '../lowering/vectors/vector-module.js';
import type { HostArray, TensorType } from '../operations/tensor.js';
import type { Executable, HostArrays, RunOptions } from './executor.js';
import { findState, ownerOf } from './host-changes.js';

/** Numbers whose sum is float32: larger sums are float64, so that a long vector loses nothing. */
const SUMMED_TOGETHER = 1024;

/** Bytes of a page of WebAssembly's memory. */
const PAGE = 65_536;

/**
 * A program on vectors of state in the memory of the process, chunk by chunk: each chunk is copied in, computed, and what
 * changes is copied back.
 */
export class VectorExecutable implements Executable {
  readonly inputs: ReadonlyMap<string, TensorType>;
  readonly outputs: ReadonlyMap<string, TensorType>;
  readonly #module: VectorModule;
  readonly #size: string;
  readonly #memory: WebAssembly.Memory;
  readonly #run: (start: number, end: number) => void;

  private constructor(module: VectorModule, size: string) {
    const scalar = { shape: [], type: 'float32' } as const;
    this.inputs = new Map(module.scalars.map((name) => [name, scalar]));
    this.outputs = new Map(module.sums.map((name) => [name, scalar]));
    this.#module = module;
    this.#size = size;
    this.#memory = new WebAssembly.Memory({ initial: Math.ceil(module.bytes / PAGE) });
    const instance = new WebAssembly.Instance(new WebAssembly.Module(module.code), { host: { memory: this.#memory } });
    this.#run = (instance.exports as { readonly run: (start: number, end: number) => void }).run;
  }

  /** `undefined` if the program is not one of vectors. */
  static of(tensors: ProgramTensors, openSizes: { readonly [name: string]: number }): VectorExecutable | undefined {
    const module = vectorModule(tensors, openSizes);
    return module && new VectorExecutable(module, Object.keys(openSizes)[0]!);
  }

  run(inputs: HostArrays, options: RunOptions = {}): Promise<{ readonly [name: string]: HostArray }> {
    return Promise.resolve().then(() => this.#compute(inputs, options));
  }

  dispose(): Promise<void> {
    return Promise.resolve();
  }

  #compute(
    inputs: HostArrays,
    { sizes = {}, state = [], roundingSeed = 0 }: RunOptions,
  ): { readonly [name: string]: HostArray } {
    const { scalars, vectors, assigned, sums } = this.#module;
    const length = sizes[this.#size];
    if (length === undefined) throw new Error(`the run does not give the size ${this.#size}`);
    for (const [index, name] of scalars.entries()) {
      const given = inputs[name];
      if (given?.length !== 1) throw new Error(`input ${name} ${given ? 'must be one number' : 'is missing'}`);
      this.#numbers(scalarPlace(index), 4).fill(given[0]!);
    }
    const arrays = vectors.map((name) => {
      const found = findState(state, [name]);
      if (found === undefined) throw new Error(`state ${name} is missing`);
      if (found.length !== length) {
        throw new Error(`state ${name} must be float32[${length}], not a ${found.constructor.name} of ${found.length}`);
      }
      return found as Float32Array;
    });
    const places = vectors.map((_, index) => this.#numbers(vectorPlace(index), VECTOR_CHUNK));
    const changed = assigned.map((name) => vectors.indexOf(name));
    const totals = sums.map(() => 0);
    for (let start = 0; start < length; start += VECTOR_CHUNK) {
      const end = Math.min(length, start + VECTOR_CHUNK);
      for (const [index, array] of arrays.entries()) places[index]!.set(array.subarray(start, end));
      this.#runChunk(end - start, totals);
      for (const index of changed) arrays[index]!.set(places[index]!.subarray(0, end - start), start);
    }
    for (const [index, name] of assigned.entries()) {
      // Numbers that are kept in another type were computed in a copy.
      ownerOf(state, name)?.assign?.(name, arrays[changed[index]!]!, roundingSeed);
    }
    return Object.fromEntries(sums.map((name, index) => [name, Float32Array.of(totals[index]!)]));
  }

  /** Adds to `totals` what the first `count` numbers of the chunk give. */
  #runChunk(count: number, totals: number[]): void {
    const whole = count - (count % 4);
    const step = totals.length === 0 ? whole : SUMMED_TOGETHER;
    const add = (lanes: number) => {
      for (const index of totals.keys()) {
        for (const partial of this.#numbers(sumPlace(index), lanes)) totals[index]! += partial;
      }
    };
    for (let start = 0; start < whole; start += step) {
      this.#run(4 * start, 4 * Math.min(whole, start + step));
      add(4);
    }
    if (count > whole) {
      // What stands behind the last numbers is computed, too, and left out.
      this.#run(4 * whole, 4 * whole + 16);
      add(count - whole);
    }
  }

  #numbers(place: number, count: number): Float32Array {
    return new Float32Array(this.#memory.buffer, place, count);
  }
}
