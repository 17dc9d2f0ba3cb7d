import { operand, result, typeOf, type Operation } from './operation.js';
import { elementCount } from './shapes.js';
import type { HostArray, Shape, TensorType } from './tensor.js';

/** An input of the graph. The lowering declares it, so it writes no node. */
export const input: Operation<TensorType & { readonly name: string }> = {
  name: 'input',
  infer: (_, { shape, type }) => {
    if (!shape.every((size) => Number.isInteger(size) && size >= 0))
      throw new Error(`[${shape.join(', ')}] is not a shape`);
    return [{ shape, type }];
  },
  lower: () => undefined,
};

/**
 * Numbers that an executor keeps between runs: parameters, gradients, moments, cached keys. Several names are arrays
 * that are joined along the first axis.
 */
export const state: Operation<{ readonly names: readonly string[]; readonly shape: Shape }> = {
  name: 'state',
  infer: (_, { shape }) => [{ shape, type: 'float32' }],
  lower: () => undefined,
};

export const constant: Operation<{ readonly data: HostArray; readonly shape: Shape }> = {
  name: 'constant',
  infer: (_, { data, shape }) => {
    if (data.length !== elementCount(shape))
      throw new Error(`${data.length} numbers do not fit the shape [${shape.join(', ')}]`);
    const type = data instanceof Float32Array ? 'float32' : data instanceof Int32Array ? 'int32' : 'bool';
    return [{ shape, type }];
  },
  /** The emitter turns it into an initializer when it is first named. */
  lower: () => undefined,
};

export const stopGradient: Operation = {
  name: 'stopGradient',
  infer: (inputs) => [typeOf(inputs, 0)],
  lower: (emit, node) => emit.node('Identity', [emit.name(operand(node, 0))], [emit.name(result(node))]),
};
