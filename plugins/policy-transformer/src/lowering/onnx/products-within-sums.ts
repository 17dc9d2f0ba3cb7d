import { add } from '../../operations/elementwise.js';
import { matmul, type MatmulAttributes } from '../../operations/matmul.js';
import { operand } from '../../operations/operation.js';
import { broadcastShapes, sameShape } from '../../operations/shapes.js';
import type { Node, Tensor } from '../../operations/tensor.js';
import { isTurned } from './matmul.js';

/** A sum that one Gemm computes together with the product in it. */
export interface ProductInSum {
  readonly product: Node;
  readonly addend: Tensor;
}

/**
 * Finds sums in which one operand is a matrix product that nothing else reads. One Gemm computes both, so biases,
 * residuals and summed gradients need no extra pass.
 * @param isFixed whether a tensor is the same in every run
 */
export function productsWithinSums(
  nodes: readonly Node[],
  outputs: readonly Tensor[],
  isFixed: (tensor: Tensor) => boolean,
): ReadonlyMap<Node, ProductInSum> {
  const uses = new Map<Tensor, number>();
  for (const tensor of [...nodes.flatMap((node) => node.inputs), ...outputs]) {
    uses.set(tensor, (uses.get(tensor) ?? 0) + 1);
  }
  const found = new Map<Node, ProductInSum>();
  for (const node of nodes) {
    if (node.operation !== add) continue;
    const pairs = [[operand(node, 1), operand(node, 0)] as const, [operand(node, 0), operand(node, 1)] as const];
    const fit = pairs.find(
      ([side, addend]) =>
        side.node.operation === matmul &&
        uses.get(side) === 1 &&
        side.node.inputs.every(({ shape }) => shape.length === 2) &&
        !isTurned(side.node as Node<MatmulAttributes>, isFixed) &&
        sameShape(broadcastShapes(side.shape, addend.shape), side.shape),
    );
    if (fit) found.set(node, { product: fit[0].node, addend: fit[1] });
  }
  return found;
}
