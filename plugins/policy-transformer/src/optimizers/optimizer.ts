import type { OptimizerStepResult } from '@agentgym/cli';

import type { State, StateArrays } from '../executors/state.js';

/** What an optimizer works on, both an executor's state. The gradient of a parameter is called `gradientState(name)`. */
export interface Trained {
  readonly parameters: State;
  readonly gradients: State;
}

/** How an optimizer changes parameters. Deterministic: equal gradients give equal bits. */
export interface UpdateRule {
  /** Moments, as `<moment>.<parameter>`. */
  readonly moments: readonly StateArrays[];
  /**
   * @param step 1, 2, ...
   * @param factor multiplies the gradient first
   */
  apply(step: number, learningRate: number, factor: number): Promise<void>;
  /** Frees compiled programs, but not the moments. */
  dispose(): Promise<void>;
}

/** Changes parameters by their gradients. Its steps and its moments are all that it needs to continue exactly. */
export interface Optimizer {
  /** Gradients that were applied. */
  steps: number;
  /** Moments, as `<moment>.<parameter>`. */
  readonly moments: readonly StateArrays[];
  /**
   * Clips the gradient to a global norm, applies it and clears it. A gradient that is not finite is only cleared.
   * @param clipNorm `undefined` does not clip
   */
  step(learningRate: number, clipNorm: number | undefined): Promise<OptimizerStepResult>;
  /** Frees compiled programs and moments. */
  dispose(): Promise<void>;
}
