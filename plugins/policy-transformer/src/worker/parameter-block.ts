import { parameterOrder } from '../generation/decode-weights.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { parameterShapes, type ParameterOptions } from '../model/parameters.js';
import { elementCount } from '../operations/shapes.js';
import type { Shape } from '../operations/tensor.js';

/**
 * All parameters of a model, or their gradients, in one array, so that they can be sent to another thread and added up
 * as one.
 */
export class ParameterBlock {
  /** In the order of `parameterOrder`. */
  readonly data: Float32Array;
  /** Views of `data`. */
  readonly views: ReadonlyMap<string, Float32Array>;
  readonly shapes: ReadonlyMap<string, Shape>;

  constructor(config: DecoderConfig, options: ParameterOptions, data?: Float32Array) {
    this.shapes = parameterShapes(config, options);
    const total = [...this.shapes.values()].reduce((sum, shape) => sum + elementCount(shape), 0);
    this.data = data ?? new Float32Array(total);
    if (this.data.length !== total) throw new Error(`the model has ${total} parameters, not ${this.data.length}`);
    const views = new Map<string, Float32Array>();
    let offset = 0;
    for (const name of parameterOrder([...this.shapes.keys()])) {
      const count = elementCount(this.shapes.get(name)!);
      views.set(name, this.data.subarray(offset, offset + count));
      offset += count;
    }
    this.views = views;
  }

  /** Fills the block. Throws if a parameter is missing or has another length. */
  fill(parameters: ReadonlyMap<string, Float32Array>): this {
    for (const [name, view] of this.views) {
      const given = parameters.get(name);
      if (given?.length !== view.length) {
        throw new Error(`${name} has ${given?.length ?? 'no'} numbers, but the model has ${view.length}`);
      }
      view.set(given);
    }
    return this;
  }

  add(other: Float32Array): void {
    const { data } = this;
    for (let index = 0; index < data.length; index += 1) data[index]! += other[index]!;
  }
}
