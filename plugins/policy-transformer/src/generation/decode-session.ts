import type { Executable, Executor, HostArrays, Program } from '../executors/executor.js';
import type { HostArray } from '../operations/tensor.js';
import type { DecodeSizes } from './decode-graph.js';
import { joinedParameters, type Parameters } from './decode-weights.js';

/** Weights are inputs of every run, or constants that the engine packs once; constants from the first run, or as soon as many runs have used them. */
export type Binding = 'never' | 'always' | 'later';

/** A compilation takes about as long as constants save in this many runs of the smallest models. */
const RUNS_BEFORE_BINDING = 150;

/** A decode graph, compiled with weights as constants or as inputs, or both. */
export class DecodeSession {
  readonly #executor: Executor;
  readonly #program: Program;
  /** By the names of the graph's inputs. */
  readonly #weights: { [name: string]: Float32Array };
  #binding: Binding = 'never';
  #runs = 0;
  #free: Executable | undefined;
  #bound: Executable | undefined;

  constructor(executor: Executor, program: Program, weights: ReadonlySet<string>) {
    this.#executor = executor;
    this.#program = program;
    this.#weights = Object.fromEntries([...weights].map((name) => [name, new Float32Array(0)]));
  }

  /** Takes weights for the runs to come. */
  async useWeights(parameters: Parameters, binding: Binding): Promise<void> {
    for (const name of Object.keys(this.#weights)) this.#weights[name] = joinedParameters(name, parameters);
    this.#binding = binding;
    this.#runs = 0;
    await this.#bound?.dispose();
    this.#bound = undefined;
  }

  async run(inputs: HostArrays, sizes: DecodeSizes): Promise<{ readonly [name: string]: HostArray }> {
    this.#runs += 1;
    if (this.#binding === 'always' || (this.#binding === 'later' && this.#runs > RUNS_BEFORE_BINDING)) {
      this.#bound ??= await this.#executor.compile({ ...this.#program, initializers: this.#weights });
      return this.#bound.run(inputs, { ...sizes });
    }
    this.#free ??= await this.#executor.compile(this.#program);
    return this.#free.run({ ...inputs, ...this.#weights }, { ...sizes });
  }

  async dispose(): Promise<void> {
    await this.#free?.dispose();
    await this.#bound?.dispose();
  }
}
