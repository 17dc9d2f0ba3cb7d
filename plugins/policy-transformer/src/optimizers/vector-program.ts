import type { Executable, Executor } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import { Graph } from '../graph/graph.js';
import { elementCount } from '../operations/shapes.js';
import type { Tensor } from '../operations/tensor.js';

/** Numbers of one run: its results are small enough for the processor's caches. */
const PART = 2 ** 18;

/** A prime that represents the open length. */
const LENGTH = 100_003;

/** Builds a computation on vectors of state, all of one length, and on numbers of a run. */
type BuildVectors = (
  graph: Graph,
  vector: (name: string) => Tensor,
  scalar: (name: string) => Tensor,
) => {
  readonly outputs?: { readonly [name: string]: Tensor };
  /** New values of vectors. */
  readonly assign?: { readonly [vector: string]: Tensor };
};

/** An array of a state. */
interface NamedArray {
  readonly of: State;
  readonly name: string;
}

/**
 * A program that works on every number of some arrays alike, whatever their shape. It runs on parts of them, so that
 * one small session serves all arrays and needs little memory.
 */
export class VectorProgram {
  readonly #executor: Executor;
  readonly #build: BuildVectors;
  #executable: Executable | undefined;

  constructor(executor: Executor, build: BuildVectors) {
    this.#executor = executor;
    this.#build = build;
  }

  /**
   * Runs over arrays of equal length. Returns the outputs of each part.
   * @param arrays by the names of the vectors
   */
  async run(
    arrays: { readonly [vector: string]: NamedArray },
    scalars: { readonly [name: string]: number } = {},
  ): Promise<{ readonly [name: string]: ArrayLike<number> }[]> {
    this.#executable ??= await this.#compile();
    const inputs = Object.fromEntries(Object.entries(scalars).map(([name, value]) => [name, Float32Array.of(value)]));
    const named = Object.entries(arrays);
    const [, first] = named[0]!;
    const total = elementCount(first.of.shapes.get(first.name) ?? []);
    const results = [];
    for (let start = 0; start < total; start += PART) {
      const length = Math.min(PART, total - start);
      const state = named.map(([vector, { of, name }]) => of.part(name, vector, start, length));
      results.push(await this.#executable.run(inputs, { sizes: { length }, state }));
    }
    return results;
  }

  async dispose(): Promise<void> {
    await this.#executable?.dispose();
    this.#executable = undefined;
  }

  #compile(): Promise<Executable> {
    const graph = new Graph();
    const { outputs = {}, assign = {} } = this.#build(
      graph,
      (name) => graph.state(name, [LENGTH]),
      (name) => graph.input(name, []),
    );
    return this.#executor.compile({ outputs, assign, openSizes: { length: LENGTH } });
  }
}
