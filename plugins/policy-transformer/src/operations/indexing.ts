/**
 * Rows and elements by index, and their adjoints. Sums over repeated ids use a one-hot product or
 * `ScatterElements(add)`, which applies its updates in order. On the CPU, the `ScatterND` of ONNX Runtime with a
 * reduction loses updates on repeated ids when it has more than one thread.
 */
import { operand, result, typeOf, type Operation } from './operation.js';
import { describeType, elementCount, sameShape, sizeOf } from './shapes.js';
import type { Tensor } from './tensor.js';

/** Up to this many rows, a one-hot product is faster. */
const ONE_HOT_ROWS = 1024;

export const gather: Operation = {
  name: 'gather',
  infer: (inputs) => {
    const table = typeOf(inputs, 0);
    const ids = typeOf(inputs, 1);
    const inverse = inputs[2];
    const fits =
      inverse === undefined || (inverse.type === 'int32' && sameShape(inverse.shape, table.shape.slice(0, 1)));
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
    return [graph.gather(graph.pad(rows, 0, 0, 1), inverse)];
  },
  lower: (emit, node) =>
    emit.node(
      'Gather',
      node.inputs.slice(0, 2).map((tensor) => emit.name(tensor)),
      [emit.name(result(node))],
      { axis: 0 },
    ),
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
  lower: (emit, node) => {
    const { rows } = node.attributes;
    const out = result(node);
    const count = elementCount(operand(node, 1).shape);
    const width = elementCount(out.shape.slice(1));
    const values = emit.temporary();
    emit.node('Reshape', [emit.name(operand(node, 0)), emit.target([count, width])], [values], { allowzero: 1 });
    const sums = emit.temporary();
    if (rows <= ONE_HOT_ROWS) {
      const ids = emit.temporary();
      emit.node('Reshape', [emit.name(operand(node, 1)), emit.target([count])], [ids], { allowzero: 1 });
      // Copying rows of the identity is several times faster than OneHot.
      const identity = Float32Array.from({ length: rows * rows }, (_, index) => Number(index % (rows + 1) === 0));
      const hot = emit.temporary();
      emit.node('Gather', [emit.constant(identity, [rows, rows]), ids], [hot], { axis: 0 });
      emit.node('Gemm', [hot, values], [sums], { transA: 1 });
    } else {
      const ids = emit.temporary();
      emit.node('Reshape', [emit.name(operand(node, 1)), emit.target([count, 1])], [ids], { allowzero: 1 });
      const spread = emit.temporary();
      emit.node('Expand', [ids, emit.integers([count, width])], [spread]);
      const zeros = emit.temporary();
      emit.node('Expand', [emit.constant(Float32Array.of(0), []), emit.integers([rows, width])], [zeros]);
      emit.node('ScatterElements', [zeros, spread, values], [sums], { axis: 0, reduction: 'add' });
    }
    emit.node('Reshape', [sums, emit.target(out.shape)], [emit.name(out)], { allowzero: 1 });
  },
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
  lower: (emit, node) =>
    emit.node(
      'GatherElements',
      node.inputs.map((tensor) => emit.name(tensor)),
      [emit.name(result(node))],
      { axis: -1 },
    ),
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
  lower: (emit, node) =>
    emit.node(
      'ScatterElements',
      node.inputs.map((tensor) => emit.name(tensor)),
      [emit.name(result(node))],
      { axis: -1, reduction: 'add' },
    ),
};

export const oneHot: Operation<{ readonly depth: number }> = {
  name: 'oneHot',
  infer: (inputs, { depth }) => {
    const ids = typeOf(inputs, 0);
    if (ids.type !== 'int32') throw new Error(`oneHot of ${describeType(ids)}`);
    return [{ shape: [...ids.shape, depth], type: 'float32' }];
  },
  lower: (emit, node) => {
    const depth = emit.constant(Int32Array.of(node.attributes.depth), []);
    const values = emit.constant(Float32Array.of(0, 1), [2]);
    emit.node('OneHot', [emit.name(operand(node, 0)), depth, values], [emit.name(result(node))], { axis: -1 });
  },
};
