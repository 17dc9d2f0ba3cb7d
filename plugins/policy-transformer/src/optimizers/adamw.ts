/*
 * Adam with decoupled weight decay (Loshchilov & Hutter 2019): m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2,
 * p = p (1 - lr decay) - lr m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + eps).
 * Computed in float64, stored in float32.
 */
import { gradientOf, Moments } from './moments.js';
import type { Optimizer, OptimizerState, ShapedParameters } from './optimizer.js';

export interface AdamwOptions {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** Applies also to norm weights and biases, as in torch.optim.AdamW. */
  readonly weightDecay: number;
}

export class Adamw implements Optimizer {
  readonly #parameters: ShapedParameters;
  readonly #options: AdamwOptions;
  readonly #first: Moments;
  readonly #second: Moments;
  #steps = 0;

  constructor(parameters: ShapedParameters, options: AdamwOptions) {
    this.#parameters = parameters;
    this.#options = options;
    this.#first = new Moments('first', parameters);
    this.#second = new Moments('second', parameters);
  }

  // oxlint-disable-next-line typescript/require-await -- the contract is asynchronous for optimizers that use the engine
  async step(gradients: ReadonlyMap<string, Float32Array>, learningRate: number, factor: number): Promise<void> {
    this.#steps += 1;
    const { beta1, beta2, epsilon, weightDecay } = this.#options;
    const keep = 1 - learningRate * weightDecay;
    const size = learningRate / (1 - beta1 ** this.#steps);
    const root = 1 / Math.sqrt(1 - beta2 ** this.#steps);
    for (const [name, { data }] of this.#parameters) {
      const gradient = gradientOf(gradients, name, data.length);
      const first = this.#first.of(name);
      const second = this.#second.of(name);
      for (let i = 0; i < data.length; i += 1) {
        const g = gradient[i]! * factor;
        const m = first[i]! + (1 - beta1) * (g - first[i]!);
        const v = beta2 * second[i]! + (1 - beta2) * g * g;
        first[i] = m;
        second[i] = v;
        data[i] = data[i]! * keep - (size * m) / (Math.sqrt(v) * root + epsilon);
      }
    }
  }

  state(): OptimizerState {
    return { steps: this.#steps, tensors: new Map([...this.#first.export(), ...this.#second.export()]) };
  }

  restore(state: OptimizerState): void {
    this.#first.restore(state);
    this.#second.restore(state);
    this.#steps = state.steps;
  }

  async dispose(): Promise<void> {}
}
