import type { Executable, Executor, HostArrays, Program, RunOptions } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import type { HostArray } from '../operations/tensor.js';
import { statesOf, type ModelWeights } from './token-generator.js';

/**
 * A decode graph, compiled with weights as constants that the engine packs once, or as state of every run. Weights of
 * an adapter are never constants, so that a new policy version costs nothing.
 */
export class DecodeSession {
  readonly #executor: Executor;
  readonly #program: Program;
  #fixed: State | undefined;
  #state: readonly State[] = [];
  #executable: Executable | undefined;

  constructor(executor: Executor, program: Program) {
    this.#executor = executor;
    this.#program = program;
  }

  /** Sets the weights for later runs. If `bound`, those without an adapter become constants. */
  async useWeights(weights: ModelWeights, bound: boolean): Promise<void> {
    const { trainable, frozen } = weights;
    const fixed = bound ? (frozen ?? trainable) : undefined;
    if (fixed === trainable || fixed !== this.#fixed) await this.dispose();
    this.#fixed = fixed;
    this.#state = statesOf(weights).filter((state) => state !== fixed);
  }

  async run(inputs: HostArrays, options: RunOptions): Promise<{ readonly [name: string]: HostArray }> {
    this.#executable ??= await this.#executor.compile({
      ...this.#program,
      ...(this.#fixed && { fixed: this.#fixed }),
    });
    return this.#executable.run(inputs, { ...options, state: [...this.#state, ...(options.state ?? [])] });
  }

  async dispose(): Promise<void> {
    const executable = this.#executable;
    this.#executable = undefined;
    await executable?.dispose();
  }
}
