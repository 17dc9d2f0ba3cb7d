import type { Executor } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import { segmentsOf, VectorProgram } from './vector-program.js';

/** Measures gradients where they are. */
export class GradientNorm {
  readonly #squares: VectorProgram;

  constructor(executor: Executor) {
    this.#squares = new VectorProgram(executor, (graph, vector) => {
      const gradient = vector('gradient');
      return { outputs: { sum: graph.sum(graph.mul(gradient, gradient)) } };
    });
  }

  /** Global L2 norm over some arrays, by default all; the sums of parts are added in float64, in order. */
  async of(gradients: State, names: Iterable<string> = gradients.shapes.keys()): Promise<number> {
    let sum = 0;
    for (const { first, count } of segmentsOf(gradients.shapes, names)) {
      const parts = await this.#squares.run({ gradient: { of: gradients, first } }, count);
      for (const part of parts) sum += part['sum']![0]!;
    }
    return Math.sqrt(sum);
  }

  dispose(): Promise<void> {
    return this.#squares.dispose();
  }
}

/**
 * The factor that clips the gradient to `clipNorm`: clipNorm / (norm + 1e-6), at most 1, as in torch's
 * `clip_grad_norm_`.
 */
export function clipFactor(norm: number, clipNorm: number | undefined): number {
  return clipNorm === undefined ? 1 : Math.min(1, clipNorm / (norm + 1e-6));
}
