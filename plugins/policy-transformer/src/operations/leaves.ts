import { typeOf, type Operation } from './operation.js';
import { elementCount } from './shapes.js';
import { elementTypeOf, type HostArray, type Shape, type TensorType } from './tensor.js';

/** An input of the graph. */
export const input: Operation<TensorType & { readonly name: string }> = {
  name: 'input',
  infer: (_, { shape, type }) => {
    if (!shape.every((size) => Number.isInteger(size) && size >= 0))
      throw new Error(`[${shape.join(', ')}] is not a shape`);
    return [{ shape, type }];
  },
};

/**
 * Numbers that an executor keeps between runs: parameters, gradients, moments, cached keys. Several names are arrays
 * that are joined along the first axis.
 */
export const state: Operation<{ readonly names: readonly string[]; readonly shape: Shape }> = {
  name: 'state',
  infer: (_, { shape }) => [{ shape, type: 'float32' }],
};

export const constant: Operation<{ readonly data: HostArray; readonly shape: Shape }> = {
  name: 'constant',
  infer: (_, { data, shape }) => {
    if (data.length !== elementCount(shape))
      throw new Error(`${data.length} numbers do not fit the shape [${shape.join(', ')}]`);
    return [{ shape, type: elementTypeOf(data) }];
  },
};

export const stopGradient: Operation = {
  name: 'stopGradient',
  infer: (inputs) => [typeOf(inputs, 0)],
};
