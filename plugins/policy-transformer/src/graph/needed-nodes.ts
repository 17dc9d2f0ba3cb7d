import type { Node, Tensor } from '../operations/tensor.js';

/** Everything the tensors depend on, in the order of creation. */
export function neededNodes(tensors: readonly Tensor[]): Node[] {
  const needed = new Set<Node>();
  const stack = tensors.map(({ node }) => node);
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (needed.has(node)) continue;
    needed.add(node);
    stack.push(...node.inputs.map((tensor) => tensor.node));
  }
  return [...needed].sort((a, b) => a.id - b.id);
}
