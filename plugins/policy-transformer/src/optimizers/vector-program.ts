import type { Executable, Executor } from '../executors/executor.js';
import type { StateArrays } from '../executors/state.js';
import { Graph } from '../graph/graph.js';
import { elementCount } from '../operations/shapes.js';
import type { Shape, Tensor } from '../operations/tensor.js';

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

/** Adjacent arrays of a state. */
interface Vector {
  readonly of: StateArrays;
  /** The first of them. */
  readonly first: string;
}

/** Adjacent parameters. */
export interface Segment {
  readonly first: string;
  /** Numbers of all of them. */
  readonly count: number;
}

/** Joins parameters that follow each other in their state, because every run costs some time. */
export function segmentsOf(shapes: ReadonlyMap<string, Shape>, names: Iterable<string>): Segment[] {
  const wanted = new Set(names);
  const segments: { first: string; count: number }[] = [];
  let open = false;
  for (const [name, shape] of shapes) {
    if (!wanted.has(name)) open = false;
    else if (open) segments.at(-1)!.count += elementCount(shape);
    else {
      segments.push({ first: name, count: elementCount(shape) });
      open = true;
    }
  }
  return segments;
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

  /** Runs over `count` numbers of each vector. Returns the outputs of each part. */
  async run(
    vectors: { readonly [name: string]: Vector },
    count: number,
    scalars: { readonly [name: string]: number } = {},
    roundingSeed = 0,
  ): Promise<{ readonly [name: string]: ArrayLike<number> }[]> {
    this.#executable ??= await this.#compile();
    const inputs = Object.fromEntries(Object.entries(scalars).map(([name, value]) => [name, Float32Array.of(value)]));
    const results = [];
    const { vectorLength } = this.#executor;
    for (let start = 0; start < count; start += vectorLength) {
      const length = Math.min(vectorLength, count - start);
      const state = Object.entries(vectors).map(([name, { of, first }]) => of.part(first, name, start, length));
      results.push(await this.#executable.run(inputs, { sizes: { length }, state, roundingSeed }));
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
