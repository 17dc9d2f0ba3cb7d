import { operand, typeOf, type Operation } from './operation.js';
import { broadcastShapes, describeType, elementCount, normalizeAxis, sameShape, sizeOf, sumToShape } from './shapes.js';
import type { Shape } from './tensor.js';

export const reshape: Operation<{ readonly shape: Shape }> = {
  name: 'reshape',
  infer: (inputs, { shape }) => {
    const of = typeOf(inputs, 0);
    if (elementCount(of.shape) !== elementCount(shape)) {
      throw new Error(`${describeType(of)} does not reshape to [${shape.join(', ')}]`);
    }
    return [{ shape, type: of.type }];
  },
  gradient: (graph, node, [g]) => [g && graph.reshape(g, operand(node, 0).shape)],
};

export const transpose: Operation<{ readonly order: readonly number[] }> = {
  name: 'transpose',
  infer: (inputs, { order }) => {
    const of = typeOf(inputs, 0);
    if (
      !sameShape(
        [...order].sort((a, b) => a - b),
        [...of.shape.keys()],
      )
    ) {
      throw new Error(`[${order.join(', ')}] is not an order of the axes of ${describeType(of)}`);
    }
    return [{ shape: order.map((axis) => sizeOf(of.shape, axis)), type: of.type }];
  },
  gradient: (graph, node, [g]) => {
    const { order } = node.attributes;
    return [
      g &&
        graph.transpose(
          g,
          order.map((_, axis) => order.indexOf(axis)),
        ),
    ];
  },
};

export const slice: Operation<{ readonly axis: number; readonly start: number; readonly end: number }> = {
  name: 'slice',
  infer: (inputs, { axis, start, end }) => {
    const of = typeOf(inputs, 0);
    if (start < 0 || end < start || end > sizeOf(of.shape, axis)) {
      throw new Error(`${describeType(of)} has no range ${start} to ${end} on axis ${axis}`);
    }
    return [{ shape: of.shape.with(axis, end - start), type: of.type }];
  },
  gradient: (graph, node, [g]) => {
    const { axis, start, end } = node.attributes;
    return [g && graph.pad(g, axis, start, sizeOf(operand(node, 0).shape, axis) - end)];
  },
};

export const pad: Operation<{ readonly axis: number; readonly before: number; readonly after: number }> = {
  name: 'pad',
  infer: (inputs, { axis, before, after }) => {
    const of = typeOf(inputs, 0);
    if (before < 0 || after < 0 || of.type !== 'float32') throw new Error(`pad of ${describeType(of)}`);
    return [{ shape: of.shape.with(axis, sizeOf(of.shape, axis) + before + after), type: of.type }];
  },
  gradient: (graph, node, [g]) => {
    const { axis, before, after } = node.attributes;
    return [g && graph.slice(g, axis, before, sizeOf(g.shape, axis) - after)];
  },
};

export const concat: Operation<{ readonly axis: number }> = {
  name: 'concat',
  infer: (inputs, { axis }) => {
    const first = typeOf(inputs, 0);
    normalizeAxis(axis, first.shape.length);
    for (const other of inputs) {
      if (other.type !== first.type || !sameShape(other.shape.with(axis, 0), first.shape.with(axis, 0))) {
        throw new Error(`concat on axis ${axis} of ${inputs.map(describeType).join(', ')}`);
      }
    }
    const total = inputs.reduce((sum, { shape }) => sum + sizeOf(shape, axis), 0);
    return [{ shape: first.shape.with(axis, total), type: first.type }];
  },
  gradient: (graph, node, [g]) => {
    let start = 0;
    return node.inputs.map(({ shape }) => {
      const end = start + sizeOf(shape, node.attributes.axis);
      const part = g && graph.slice(g, node.attributes.axis, start, end);
      start = end;
      return part;
    });
  },
};

export const expand: Operation<{ readonly shape: Shape }> = {
  name: 'expand',
  infer: (inputs, { shape }) => {
    const of = typeOf(inputs, 0);
    if (!sameShape(broadcastShapes(of.shape, shape), shape)) {
      throw new Error(`${describeType(of)} does not broadcast to [${shape.join(', ')}]`);
    }
    return [{ shape, type: of.type }];
  },
  gradient: (graph, node, [g]) => [g && sumToShape(graph, g, operand(node, 0).shape)],
};
