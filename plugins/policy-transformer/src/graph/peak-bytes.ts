import { constant, input, state } from '../operations/leaves.js';
import { reshape } from '../operations/layout.js';
import { elementCount } from '../operations/shapes.js';
import type { ElementType, Node, Shape, Tensor, TensorType } from '../operations/tensor.js';
import { neededNodes } from './needed-nodes.js';

/** Given from outside. */
const LEAVES: ReadonlySet<Node['operation']> = new Set<Node['operation']>([input, state, constant]);

const BYTES: Readonly<Record<ElementType, number>> = { float32: 4, int32: 4, bool: 1, int8: 1, uint8: 1 };

/** Bytes of an array. */
export function bytesOfTensor({ shape, type }: TensorType, resolve: (shape: Shape) => Shape = (of) => of): number {
  return BYTES[type] * elementCount(resolve(shape));
}

/**
 * The most bytes of tensors that exist at the same time, if nodes run in the order of their creation and a tensor is freed
 * after its last use. Inputs, states and constants are not counted, outputs are. A reshaped tensor needs no memory of its
 * own.
 * @param resolve the shape in a run, for a graph with open sizes
 */
export function peakBytes(outputs: Iterable<Tensor>, resolve: (shape: Shape) => Shape = (shape) => shape): number {
  const wanted = [...outputs];
  const nodes = neededNodes(wanted);
  const uses = new Map<Tensor, number>();
  for (const tensor of [...nodes.flatMap(inputsOf), ...wanted]) {
    const owner = ownerOf(tensor);
    uses.set(owner, (uses.get(owner) ?? 0) + 1);
  }
  const bytes = (tensor: Tensor) => bytesOfTensor(tensor, resolve);
  let [now, peak] = [0, 0];
  for (const node of nodes) {
    if (LEAVES.has(node.operation)) continue;
    const made = node.operation === reshape ? [] : node.outputs;
    for (const tensor of made) now += bytes(tensor);
    peak = Math.max(peak, now);
    for (const tensor of inputsOf(node)) {
      const owner = ownerOf(tensor);
      const left = uses.get(owner)! - 1;
      uses.set(owner, left);
      if (left === 0 && !LEAVES.has(owner.node.operation)) now -= bytes(owner);
    }
    for (const tensor of made) if (!uses.has(tensor)) now -= bytes(tensor);
  }
  return peak;
}

/** What a node reads. A reshape reads nothing: it gives memory another shape. */
function inputsOf({ operation, inputs }: Node): readonly Tensor[] {
  return operation === reshape ? [] : inputs;
}

/** The tensor whose memory a tensor has. */
function ownerOf(tensor: Tensor): Tensor {
  let owner = tensor;
  while (owner.node.operation === reshape) owner = owner.node.inputs[0]!;
  return owner;
}
