import type { GraphBuilder } from './graph-builder.js';
import type { Shape, Tensor, TensorType } from './tensor.js';

export function elementCount(shape: Shape): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Elements of all arrays. */
export function totalElements(shapes: ReadonlyMap<string, Shape>): number {
  return [...shapes.values()].reduce((sum, shape) => sum + elementCount(shape), 0);
}

/**
 * Views of one array that holds named arrays one after the other, in the order of `shapes`. Throws if it has another
 * length.
 */
export function viewsOf<Kind extends Float32Array | Uint16Array>(
  shapes: ReadonlyMap<string, Shape>,
  data: Kind,
): Map<string, Kind> {
  const total = totalElements(shapes);
  if (data.length !== total) throw new Error(`the arrays have ${total} numbers, not ${data.length}`);
  const views = new Map<string, Kind>();
  let offset = 0;
  for (const [name, shape] of shapes) views.set(name, data.subarray(offset, (offset += elementCount(shape))) as Kind);
  return views;
}

export function sameShape(left: Shape, right: Shape): boolean {
  return left.length === right.length && left.every((size, axis) => size === right[axis]);
}

export function describeType({ type, shape }: TensorType): string {
  return `${type}[${shape.join(', ')}]`;
}

/** Size of an axis that is known to exist. */
export function sizeOf(shape: Shape, axis: number): number {
  const size = shape.at(axis);
  if (size === undefined) throw new Error(`shape [${shape.join(', ')}] has no axis ${axis}`);
  return size;
}

/** An axis counted from the front. */
export function normalizeAxis(axis: number, rank: number): number {
  const normal = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(normal) || normal < 0 || normal >= rank)
    throw new Error(`there is no axis ${axis} in rank ${rank}`);
  return normal;
}

/** The shape to which both broadcast, as in numpy. */
export function broadcastShapes(left: Shape, right: Shape): Shape {
  const rank = Math.max(left.length, right.length);
  return Array.from({ length: rank }, (_, axis) => {
    const a = left[axis - rank + left.length] ?? 1;
    const b = right[axis - rank + right.length] ?? 1;
    if (a !== b && a !== 1 && b !== 1) {
      throw new Error(`shapes [${left.join(', ')}] and [${right.join(', ')}] do not broadcast`);
    }
    return a === 1 ? b : a;
  });
}

/** The adjoint of broadcasting: sums a gradient down to the shape that was broadcast. */
export function sumToShape(graph: GraphBuilder, gradient: Tensor, shape: Shape): Tensor {
  if (sameShape(gradient.shape, shape)) return gradient;
  const added = gradient.shape.length - shape.length;
  const axes = gradient.shape.flatMap((size, axis) =>
    axis < added || (shape[axis - added] === 1 && size !== 1) ? [axis] : [],
  );
  return graph.reshape(axes.length === 0 ? gradient : graph.sum(gradient, { axes }), shape);
}
