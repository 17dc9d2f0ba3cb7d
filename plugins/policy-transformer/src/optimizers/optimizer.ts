import type { OptimizerStepResult } from '@agentgym/cli';

import type { State } from '../executors/state.js';
import type { Shape } from '../operations/tensor.js';

/** A parameter or a moment: row-major data and its shape. */
export interface ShapedArray {
  readonly shape: Shape;
  readonly data: Float32Array;
}

/** The memory that an optimizer needs to continue exactly. */
export interface OptimizerState {
  readonly steps: number;
  /** Moments, as `<moment>.<parameter>`. */
  readonly tensors: ReadonlyMap<string, ShapedArray>;
}

/** What an optimizer works on, both an executor's state. The gradient of a parameter is called `gradientState(name)`. */
export interface Trained {
  readonly parameters: State;
  readonly gradients: State;
}

/** How an optimizer changes parameters. Deterministic: equal gradients give equal bits. */
export interface UpdateRule {
  /** Moments, as `<moment>.<parameter>`. */
  readonly moments: readonly State[];
  /**
   * @param step 1, 2, ...
   * @param factor multiplies the gradient first
   */
  apply(step: number, learningRate: number, factor: number): Promise<void>;
  /** Frees compiled programs. */
  dispose(): Promise<void>;
}

/** Changes parameters by their gradients. */
export interface Optimizer {
  /**
   * Clips the gradient to a global norm, applies it and clears it. A gradient that is not finite is only cleared.
   * @param clipNorm `undefined` does not clip
   */
  step(learningRate: number, clipNorm: number | undefined): Promise<OptimizerStepResult>;
  /** A copy of its memory. */
  state(): Promise<OptimizerState>;
  /** Loads the memory of an optimizer of the same kind over the same parameters. Throws for any other memory. */
  restore(state: OptimizerState): Promise<void>;
  /** Frees compiled programs. */
  dispose(): Promise<void>;
}
