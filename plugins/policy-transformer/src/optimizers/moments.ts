import type { OptimizerState, ShapedParameters, ShapedArray } from './optimizer.js';

/** One moment of every parameter, zero at the start. */
export class Moments {
  readonly #name: string;
  readonly #arrays = new Map<string, ShapedArray>();

  constructor(name: string, parameters: ShapedParameters) {
    this.#name = name;
    for (const [parameter, { shape, data }] of parameters) {
      this.#arrays.set(parameter, { shape, data: new Float32Array(data.length) });
    }
  }

  of(parameter: string): Float32Array {
    return this.#arrays.get(parameter)!.data;
  }

  /** Copies of the arrays with their names in a checkpoint. */
  *export(): Iterable<[string, ShapedArray]> {
    for (const [parameter, { shape, data }] of this.#arrays) {
      yield [`${this.#name}.${parameter}`, { shape, data: data.slice() }];
    }
  }

  /** Throws if the state lacks an array or has one of another length. */
  restore({ tensors }: OptimizerState): void {
    for (const [parameter, { data }] of this.#arrays) {
      const name = `${this.#name}.${parameter}`;
      const saved = tensors.get(name)?.data;
      if (saved?.length !== data.length)
        throw new Error(`the optimizer's state has no ${name} of ${data.length} numbers`);
      data.set(saved);
    }
  }
}

/** The gradient of a parameter. Throws if it is missing or has another length. */
export function gradientOf(
  gradients: ReadonlyMap<string, Float32Array>,
  parameter: string,
  length: number,
): Float32Array {
  const gradient = gradients.get(parameter);
  if (gradient?.length !== length) throw new Error(`there is no gradient of ${length} numbers for ${parameter}`);
  return gradient;
}
