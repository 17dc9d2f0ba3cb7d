import type { Operation } from '../operations/operation.js';
import { describeType } from '../operations/shapes.js';
import type { Node, Tensor } from '../operations/tensor.js';
import type { Graph } from './graph.js';

/**
 * Derivatives of a scalar with respect to tensors, as tensors of the same graph (reverse mode: each node's
 * vector-Jacobian product, last node first). Returns one gradient for each of `withRespectTo`, zeros if the scalar does
 * not depend on it. Gradients stop at operations without a derivative, such as `stopGradient`.
 */
export function gradients(graph: Graph, of: Tensor, withRespectTo: readonly Tensor[]): Tensor[] {
  if (of.shape.length > 0 || of.type !== 'float32')
    throw new Error(`the gradient of ${describeType(of)} is not defined`);
  const wanted = new Set(withRespectTo.map(({ node }) => node));
  const accumulated = new Map<Tensor, Tensor>([[of, graph.constant(1)]]);
  for (const node of dependentNodes(of.node, wanted)) {
    const operation = node.operation as Operation;
    const outputs = node.outputs.map((tensor) => accumulated.get(tensor));
    if (operation.gradient === undefined || outputs.every((tensor) => tensor === undefined)) continue;
    for (const [index, contribution] of operation.gradient(graph, node, outputs).entries()) {
      const input = node.inputs[index];
      if (contribution === undefined || input === undefined) continue;
      const before = accumulated.get(input);
      accumulated.set(input, before === undefined ? contribution : graph.add(before, contribution));
    }
  }
  return withRespectTo.map((tensor) => accumulated.get(tensor) ?? graph.fill(0, tensor.shape));
}

/**
 * Nodes between `last` and the wanted ones, last first. Gradients of other nodes cost nothing, because dead nodes are
 * not lowered.
 */
function dependentNodes(last: Node, wanted: ReadonlySet<Node>): Node[] {
  const depends = new Map<Node, boolean>();
  const visit = (root: Node): void => {
    const stack = [root];
    for (let node = stack.at(-1); node !== undefined; node = stack.at(-1)) {
      const open = node.inputs.map((tensor) => tensor.node).filter((input) => !depends.has(input));
      if (open.length > 0) {
        stack.push(...open);
        continue;
      }
      depends.set(node, wanted.has(node) || node.inputs.some((tensor) => depends.get(tensor.node)));
      stack.pop();
    }
  };
  visit(last);
  return [...depends].flatMap(([node, does]) => (does ? [node] : [])).sort((a, b) => b.id - a.id);
}
