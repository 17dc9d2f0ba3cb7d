/** Rows and elements by index, and their adjoints. */
import { operand, typeOf, type Operation } from './operation.js';
import { describeType, elementCount, sameShape, sizeOf } from './shapes.js';
import type { Tensor } from './tensor.js';

export const gather: Operation = {
  name: 'gather',
  infer: (inputs) => {
    const table = typeOf(inputs, 0);
    const ids = typeOf(inputs, 1);
    const inverse = inputs[2];
    const fits =
      inverse === undefined ||
      (inverse.type === 'int32' && inverse.shape.length <= 2 && inverse.shape[0] === table.shape[0]);
    if (ids.type !== 'int32' || table.shape.length === 0 || !fits) {
      throw new Error(`gather of ${inputs.map(describeType).join(', ')}`);
    }
    return [{ shape: [...ids.shape, ...table.shape.slice(1)], type: table.type }];
  },
  gradient: (graph, node, [g]) => {
    if (g === undefined) return [];
    const [table, ids, inverse] = node.inputs as [Tensor, Tensor, Tensor | undefined];
    if (inverse === undefined) return [graph.scatterSum(g, ids, sizeOf(table.shape, 0))];
    const rows = graph.reshape(g, [elementCount(ids.shape), ...table.shape.slice(1)]);
    const found = graph.gather(graph.pad(rows, 0, 0, 1), inverse);
    return [inverse.shape.length === 1 ? found : graph.sum(found, { axes: [1] })];
  },
};

export const scatterSum: Operation<{ readonly rows: number }> = {
  name: 'scatterSum',
  infer: (inputs, { rows }) => {
    const values = typeOf(inputs, 0);
    const ids = typeOf(inputs, 1);
    if (ids.type !== 'int32' || !sameShape(values.shape.slice(0, ids.shape.length), ids.shape)) {
      throw new Error(`scatterSum of ${describeType(values)} by ${describeType(ids)}`);
    }
    return [{ shape: [rows, ...values.shape.slice(ids.shape.length)], type: 'float32' }];
  },
  gradient: (graph, node, [g]) => [g && graph.gather(g, operand(node, 1))],
};

export const gatherElements: Operation = {
  name: 'gatherElements',
  infer: (inputs) => {
    const of = typeOf(inputs, 0);
    const ids = typeOf(inputs, 1);
    if (ids.type !== 'int32' || ids.shape.length === 0 || !sameShape(of.shape.slice(0, -1), ids.shape.slice(0, -1))) {
      throw new Error(`gatherElements of ${describeType(of)} by ${describeType(ids)}`);
    }
    return [{ shape: ids.shape, type: of.type }];
  },
  gradient: (graph, node, [g]) => {
    const { shape } = operand(node, 0);
    return [g && graph.addElements(graph.fill(0, shape), operand(node, 1), g)];
  },
};

export const addElements: Operation = {
  name: 'addElements',
  infer: (inputs) => {
    const base = typeOf(inputs, 0);
    const ids = typeOf(inputs, 1);
    const values = typeOf(inputs, 2);
    if (
      ids.type !== 'int32' ||
      !sameShape(ids.shape, values.shape) ||
      !sameShape(base.shape.slice(0, -1), ids.shape.slice(0, -1))
    ) {
      throw new Error(`addElements to ${describeType(base)} of ${describeType(values)} by ${describeType(ids)}`);
    }
    return [base];
  },
  gradient: (graph, node, [g]) => [g, undefined, g && graph.gatherElements(g, operand(node, 1))],
};

export const oneHot: Operation<{ readonly depth: number }> = {
  name: 'oneHot',
  infer: (inputs, { depth }) => {
    const ids = typeOf(inputs, 0);
    if (ids.type !== 'int32') throw new Error(`oneHot of ${describeType(ids)}`);
    return [{ shape: [...ids.shape, depth], type: 'float32' }];
  },
};
