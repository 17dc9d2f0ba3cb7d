import { neededNodes } from './needed-nodes.js';
import type { Operation } from '../operations/operation.js';
import type { Tensor } from '../operations/tensor.js';
import type { Graph } from './graph.js';

/**
 * The same computations with other tensors in place of some: what only those depend on is not computed any more. The
 * replacements must have the same shapes and types.
 */
export function substitute(
  graph: Graph,
  tensors: readonly Tensor[],
  replacements: ReadonlyMap<Tensor, Tensor>,
): readonly Tensor[] {
  const replaced = new Map(replacements);
  const now = (tensor: Tensor): Tensor => replaced.get(tensor) ?? tensor;
  for (const node of neededNodes(tensors)) {
    if (node.inputs.every((tensor) => now(tensor) === tensor)) continue;
    const outputs = graph.apply(node.operation as Operation, node.inputs.map(now), node.attributes);
    for (const [index, tensor] of node.outputs.entries()) {
      if (!replaced.has(tensor)) replaced.set(tensor, outputs[index]!);
    }
  }
  return tensors.map(now);
}
