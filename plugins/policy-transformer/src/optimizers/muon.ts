/*
 * Muon (Jordan et al. 2024): Nesterov momentum, orthogonalized, on the matrices of the layers; AdamW on embeddings,
 * head, norms and biases, with the same learning rate. An update of a matrix [out, in] is scaled by sqrt(max(1, out /
 * in)).
 */
import type { Executor } from '../executors/executor.js';
import { Adamw, type AdamwOptions } from './adamw.js';
import { gradientOf, Moments } from './moments.js';
import type { Optimizer, OptimizerState, ShapedParameters, ShapedArray } from './optimizer.js';
import { Orthogonalizer } from './orthogonalize.js';

export interface MuonOptions extends AdamwOptions {
  readonly momentum: number;
}

export class Muon implements Optimizer {
  readonly #matrices: ReadonlyMap<string, ShapedArray>;
  readonly #options: MuonOptions;
  readonly #momentum: Moments;
  readonly #updates: ReadonlyMap<string, Float32Array>;
  readonly #rest: Adamw;
  readonly #orthogonalizer: Orthogonalizer;

  constructor(parameters: ShapedParameters, options: MuonOptions, executor: Executor) {
    const hidden = [...parameters].filter(([name, parameter]) => isHiddenMatrix(name, parameter));
    this.#matrices = new Map(hidden);
    this.#options = options;
    this.#momentum = new Moments('momentum', this.#matrices);
    this.#updates = new Map(hidden.map(([name, { data }]) => [name, new Float32Array(data.length)]));
    this.#rest = new Adamw(new Map([...parameters].filter(([name]) => !this.#matrices.has(name))), options);
    this.#orthogonalizer = new Orthogonalizer(executor);
  }

  async step(gradients: ReadonlyMap<string, Float32Array>, learningRate: number, factor: number): Promise<void> {
    const { momentum: beta, weightDecay } = this.#options;
    for (const [name, update] of this.#updates) {
      const gradient = gradientOf(gradients, name, update.length);
      const momentum = this.#momentum.of(name);
      for (let i = 0; i < update.length; i += 1) {
        const g = gradient[i]! * factor;
        const m = momentum[i]! + (1 - beta) * (g - momentum[i]!);
        momentum[i] = m;
        update[i] = g + beta * (m - g);
      }
    }
    await this.#orthogonalizer.apply(
      [...this.#matrices].map(([name, { shape }]) => ({
        rows: shape[0]!,
        columns: shape[1]!,
        data: this.#updates.get(name)!,
      })),
    );
    const keep = 1 - learningRate * weightDecay;
    for (const [name, { shape, data }] of this.#matrices) {
      const update = this.#updates.get(name)!;
      const size = learningRate * Math.sqrt(Math.max(1, shape[0]! / shape[1]!));
      for (let i = 0; i < data.length; i += 1) data[i] = data[i]! * keep - size * update[i]!;
    }
    await this.#rest.step(gradients, learningRate, factor);
  }

  state(): OptimizerState {
    const { steps, tensors } = this.#rest.state();
    return { steps, tensors: new Map([...this.#momentum.export(), ...tensors]) };
  }

  restore(state: OptimizerState): void {
    this.#momentum.restore(state);
    this.#rest.restore(state);
  }

  dispose(): Promise<void> {
    return this.#orthogonalizer.dispose();
  }
}

/** Whether a parameter is a matrix of a layer, by its Hugging Face name. */
function isHiddenMatrix(name: string, { shape }: ShapedArray): boolean {
  return shape.length === 2 && name.startsWith('model.layers.');
}
