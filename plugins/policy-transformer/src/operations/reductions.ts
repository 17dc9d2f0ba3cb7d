import { operand, typeOf, type Operation } from './operation.js';
import { describeType, sizeOf } from './shapes.js';
import type { Node, Shape, TensorType } from './tensor.js';

interface ReduceAttributes {
  /** Counted from the front, in ascending order. */
  readonly axes: readonly number[];
  readonly keep: boolean;
}

function inferReduction(inputs: readonly TensorType[], { axes, keep }: ReduceAttributes): readonly TensorType[] {
  const { shape, type } = typeOf(inputs, 0);
  const reduced = shape.flatMap((size, axis) => (axes.includes(axis) ? (keep ? [1] : []) : [size]));
  return [{ shape: reduced, type }];
}

/** The shape of a reduction's result with the reduced axes kept. */
function keptShape(node: Node<ReduceAttributes>): Shape {
  return operand(node, 0).shape.map((size, axis) => (node.attributes.axes.includes(axis) ? 1 : size));
}

export const sum: Operation<ReduceAttributes> = {
  name: 'sum',
  infer: inferReduction,
  gradient: (graph, node, [g]) => [g && graph.expand(graph.reshape(g, keptShape(node)), operand(node, 0).shape)],
};

export const cumulativeSum: Operation<{ readonly axis: number; readonly reverse: boolean }> = {
  name: 'cumulativeSum',
  infer: (inputs) => [typeOf(inputs, 0)],
  gradient: (graph, node, [g]) => {
    const { axis, reverse } = node.attributes;
    return [g && graph.cumulativeSum(g, axis, { reverse: !reverse })];
  },
};

export const argMax: Operation = {
  name: 'argMax',
  infer: (inputs) => {
    const of = typeOf(inputs, 0);
    if (of.type !== 'float32' || of.shape.length === 0) throw new Error(`argMax of ${describeType(of)}`);
    return [{ shape: of.shape.slice(0, -1), type: 'int32' }];
  },
};

export const topK: Operation<{ readonly k: number }> = {
  name: 'topK',
  infer: (inputs, { k }) => {
    const { shape, type } = typeOf(inputs, 0);
    if (k < 1 || k > sizeOf(shape, -1))
      throw new Error(`cannot take the ${k} largest of ${describeType({ shape, type })}`);
    const top = shape.with(-1, k);
    return [
      { shape: top, type },
      { shape: top, type: 'int32' },
    ];
  },
};
