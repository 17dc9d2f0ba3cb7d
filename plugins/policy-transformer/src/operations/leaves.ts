import { typeOf, type Operation } from './operation.js';
import { elementCount } from './shapes.js';
import { constantType, type HostArray, type Shape, type TensorType } from './tensor.js';

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
 * Numbers that an executor keeps between runs: parameters, gradients, moments, cached keys, quantized weights. Several
 * names are arrays that are joined along the first axis.
 */
export const state: Operation<TensorType & { readonly names: readonly string[] }> = {
  name: 'state',
  infer: (_, { shape, type }) => [{ shape, type }],
};

export const constant: Operation<{ readonly data: HostArray; readonly shape: Shape }> = {
  name: 'constant',
  infer: (_, { data, shape }) => {
    if (data.length !== elementCount(shape))
      throw new Error(`${data.length} numbers do not fit the shape [${shape.join(', ')}]`);
    return [{ shape, type: constantType(data) }];
  },
};

export const stopGradient: Operation = {
  name: 'stopGradient',
  infer: (inputs) => [typeOf(inputs, 0)],
};
