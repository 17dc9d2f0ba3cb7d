import { ONNX_TYPES } from './onnx-emitter.js';
import { operand, result, typeOf, type Operation } from './operation.js';
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

function lowerReduction(operator: string): Operation<ReduceAttributes>['lower'] {
  return (emit, node) =>
    emit.node(operator, [emit.name(operand(node, 0)), emit.integers(node.attributes.axes)], [emit.name(result(node))], {
      keepdims: Number(node.attributes.keep),
      noop_with_empty_axes: 1,
    });
}

export const sum: Operation<ReduceAttributes> = {
  name: 'sum',
  infer: inferReduction,
  gradient: (graph, node, [g]) => [g && graph.expand(graph.reshape(g, keptShape(node)), operand(node, 0).shape)],
  lower: lowerReduction('ReduceSum'),
};

export const cumulativeSum: Operation<{ readonly axis: number; readonly reverse: boolean }> = {
  name: 'cumulativeSum',
  infer: (inputs) => [typeOf(inputs, 0)],
  gradient: (graph, node, [g]) => {
    const { axis, reverse } = node.attributes;
    return [g && graph.cumulativeSum(g, axis, { reverse: !reverse })];
  },
  lower: (emit, node) => {
    const { axis, reverse } = node.attributes;
    const axisName = emit.constant(Int32Array.of(axis), []);
    emit.node('CumSum', [emit.name(operand(node, 0)), axisName], [emit.name(result(node))], {
      reverse: Number(reverse),
    });
  },
};

export const argMax: Operation = {
  name: 'argMax',
  infer: (inputs) => {
    const of = typeOf(inputs, 0);
    if (of.type !== 'float32' || of.shape.length === 0) throw new Error(`argMax of ${describeType(of)}`);
    return [{ shape: of.shape.slice(0, -1), type: 'int32' }];
  },
  lower: (emit, node) => {
    const long = emit.temporary();
    emit.node('ArgMax', [emit.name(operand(node, 0))], [long], { axis: -1, keepdims: 0 });
    emit.node('Cast', [long], [emit.name(result(node))], { to: ONNX_TYPES.int32 });
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
  lower: (emit, node) => {
    const long = emit.temporary();
    const k = emit.integers([node.attributes.k]);
    emit.node('TopK', [emit.name(operand(node, 0)), k], [emit.name(result(node, 0)), long], { axis: -1 });
    emit.node('Cast', [long], [emit.name(result(node, 1))], { to: ONNX_TYPES.int32 });
  },
};
