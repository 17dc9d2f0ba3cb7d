import { totalElements, viewsOf } from '../operations/shapes.js';
import type { Shape } from '../operations/tensor.js';

/** Named arrays in one, in a fixed order, so that they can be sent to another thread. */
export class ParameterBlock {
  readonly data: Float32Array;
  /** Views of `data`. */
  readonly views: ReadonlyMap<string, Float32Array>;
  readonly shapes: ReadonlyMap<string, Shape>;

  /** @param data all arrays in the order of `shapes`; default: zeros */
  constructor(shapes: ReadonlyMap<string, Shape>, data?: Float32Array) {
    this.shapes = shapes;
    this.data = data ?? new Float32Array(totalElements(shapes));
    this.views = viewsOf(shapes, this.data);
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
}
