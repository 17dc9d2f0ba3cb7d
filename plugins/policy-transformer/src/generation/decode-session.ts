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
  #executable: Executable | undefined;

  constructor(executor: Executor, program: Program) {
    this.#executor = executor;
    this.#program = program;
  }

  /** @param bound whether the weights without an adapter are constants */
  async run(
    weights: ModelWeights,
    bound: boolean,
    inputs: HostArrays,
    options: RunOptions,
  ): Promise<{ readonly [name: string]: HostArray }> {
    const fixed = bound ? (weights.frozen ?? weights.trainable) : undefined;
    if (fixed !== this.#fixed) await this.dispose();
    this.#fixed = fixed;
    this.#executable ??= await this.#executor.compile({ ...this.#program, ...(fixed && { fixed }) });
    const state = [...statesOf(weights).filter((one) => one !== fixed), ...(options.state ?? [])];
    return this.#executable.run(inputs, { ...options, state });
  }

  async dispose(): Promise<void> {
    const executable = this.#executable;
    this.#executable = undefined;
    await executable?.dispose();
  }
}
