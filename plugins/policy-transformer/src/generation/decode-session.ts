import type { Executable, Executor, HostArrays, Program } from '../executors/executor.js';
import type { HostArray } from '../operations/tensor.js';
import type { DecodeSizes } from './decode-graph.js';
import { joinedParameters } from './decode-weights.js';
import type { ModelWeights } from './token-generator.js';

/** A decode graph, compiled with its weights as constants that the engine packs once, or as inputs of every run. */
export class DecodeSession {
  readonly #executor: Executor;
  readonly #program: Program;
  /** By the names of the graph's inputs. */
  readonly #weights: { [name: string]: Float32Array };
  #bound = false;
  #executable: Executable | undefined;

  constructor(executor: Executor, program: Program, weights: ReadonlySet<string>) {
    this.#executor = executor;
    this.#program = program;
    this.#weights = Object.fromEntries([...weights].map((name) => [name, new Float32Array(0)]));
  }

  /** Sets the weights for later runs. If `bound`, they become constants. */
  async useWeights(parameters: ModelWeights, bound: boolean): Promise<void> {
    for (const name of Object.keys(this.#weights)) this.#weights[name] = joinedParameters(name, parameters);
    if (bound || this.#bound) await this.dispose();
    this.#bound = bound;
  }

  async run(inputs: HostArrays, sizes: DecodeSizes): Promise<{ readonly [name: string]: HostArray }> {
    this.#executable ??= await this.#executor.compile({
      ...this.#program,
      ...(this.#bound && { initializers: this.#weights }),
    });
    return this.#executable.run(this.#bound ? inputs : { ...inputs, ...this.#weights }, { ...sizes });
  }

  async dispose(): Promise<void> {
    const executable = this.#executable;
    this.#executable = undefined;
    await executable?.dispose();
  }
}
