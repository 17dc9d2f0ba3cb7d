/** A parameter or a moment: row-major data and its shape. */
export interface ShapedArray {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** Trainable parameters by name; an optimizer changes their data in place. */
export type ShapedParameters = ReadonlyMap<string, ShapedArray>;

/** The memory that an optimizer needs to continue exactly. */
export interface OptimizerState {
  readonly steps: number;
  /** Moments, as `<moment>.<parameter>`. */
  readonly tensors: ReadonlyMap<string, ShapedArray>;
}

/** Changes parameters by gradients. Deterministic: equal gradients give equal bits. */
export interface Optimizer {
  /**
   * One step on all parameters. `factor` multiplies the gradient first (clipping). Throws if a gradient is missing
   * or has another length.
   */
  step(gradients: ReadonlyMap<string, Float32Array>, learningRate: number, factor: number): Promise<void>;
  /** A copy of its memory. */
  state(): OptimizerState;
  /** Loads the memory of an optimizer of the same kind over the same parameters. Throws for any other memory. */
  restore(state: OptimizerState): void;
  /** Frees compiled programs. */
  dispose(): Promise<void>;
}
