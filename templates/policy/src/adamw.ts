import type { JsonObject, OptimizerSettings, OptionsOf } from '@agentgym/cli';

import { fromBase64, toBase64 } from './base64.js';
import { adamwOptions } from './options.js';

const defaults = Object.fromEntries(Object.entries(adamwOptions).map(([name, option]) => [name, option.default]));
type Constants = OptionsOf<typeof adamwOptions>;

/** AdamW: Loshchilov and Hutter 2019, arXiv 1711.05101, algorithm 2. */
export class AdamW {
  readonly #constants: Constants;
  #first: Float64Array;
  #second: Float64Array;
  #steps = 0;

  /** @throws Error on another optimizer, or a constant that AdamW does not have */
  constructor({ name, options }: OptimizerSettings, size: number) {
    if (name !== 'adamw') throw new Error(`there is no optimizer ${name}, only adamw`);
    const stranger = Object.keys(options).find((option) => !Object.hasOwn(defaults, option));
    if (stranger !== undefined) throw new Error(`adamw has no option ${stranger}`);
    this.#constants = { ...defaults, ...options } as Constants;
    this.#first = new Float64Array(size);
    this.#second = new Float64Array(size);
  }

  /** One step down `scale` times the gradient. */
  apply(weights: Float64Array, gradient: Float64Array, scale: number, learningRate: number): void {
    const { beta1, beta2, epsilon, weightDecay } = this.#constants;
    this.#steps += 1;
    const [correction1, correction2] = [1 - beta1 ** this.#steps, 1 - beta2 ** this.#steps];
    for (let i = 0; i < weights.length; i += 1) {
      const g = scale * (gradient[i] as number);
      const m = beta1 * (this.#first[i] as number) + (1 - beta1) * g;
      const v = beta2 * (this.#second[i] as number) + (1 - beta2) * g * g;
      this.#first[i] = m;
      this.#second[i] = v;
      const step = m / correction1 / (Math.sqrt(v / correction2) + epsilon);
      weights[i] = (weights[i] as number) * (1 - learningRate * weightDecay) - learningRate * step;
    }
  }

  toJson(): JsonObject {
    const { first, second } = { first: toBase64(this.#first), second: toBase64(this.#second) };
    return { constants: { ...this.#constants }, steps: this.#steps, first, second };
  }

  static fromJson(json: JsonObject): AdamW {
    const made = new AdamW({ name: 'adamw', options: json['constants'] as unknown as JsonObject }, 0);
    made.#first = fromBase64(json['first'] as string);
    made.#second = fromBase64(json['second'] as string);
    made.#steps = json['steps'] as number;
    return made;
  }
}
