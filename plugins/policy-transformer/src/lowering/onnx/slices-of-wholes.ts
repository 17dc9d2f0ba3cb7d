import { slice } from '../../operations/layout.js';
import { operand } from '../../operations/operation.js';
import { sizeOf } from '../../operations/shapes.js';
import type { Node, Tensor } from '../../operations/tensor.js';

/** A tensor that slices take apart from its beginning to its end, so that one Split computes them all. */
export interface SlicedWhole {
  readonly tensor: Tensor;
  readonly axis: number;
  /** In the order of their places. */
  readonly slices: readonly Node[];
}

interface Range {
  readonly axis: number;
  readonly start: number;
  readonly end: number;
}

const rangeOf = (node: Node): Range => node.attributes as Range;

/** Finds tensors that slices take apart, by the first of these slices in the order of `nodes`. */
export function slicesOfWholes(nodes: readonly Node[]): ReadonlyMap<Node, SlicedWhole> {
  const byTensor = new Map<Tensor, Node[]>();
  for (const node of nodes) {
    if (node.operation !== slice) continue;
    const tensor = operand(node, 0);
    byTensor.set(tensor, [...(byTensor.get(tensor) ?? []), node]);
  }
  const found = new Map<Node, SlicedWhole>();
  for (const [tensor, sliced] of byTensor) {
    const { axis } = rangeOf(sliced[0]!);
    const slices = sliced.toSorted((a, b) => rangeOf(a).start - rangeOf(b).start);
    if (slices.length > 1 && coversAll(slices, axis, sizeOf(tensor.shape, axis))) {
      found.set(sliced[0]!, { tensor, axis, slices });
    }
  }
  return found;
}

function coversAll(slices: readonly Node[], axis: number, size: number): boolean {
  let next = 0;
  for (const node of slices) {
    const range = rangeOf(node);
    if (range.axis !== axis || range.start !== next || range.end === next) return false;
    next = range.end;
  }
  return next === size;
}
