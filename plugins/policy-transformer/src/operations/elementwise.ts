import type { GraphBuilder } from './graph-builder.js';
import { operand, result, typeOf, type Operation } from './operation.js';
import { broadcastShapes, describeType, sumToShape } from './shapes.js';
import type { ElementType, Node, Tensor, TensorType } from './tensor.js';

/** Both operands must have the same type. Their shapes broadcast. */
export function inferBroadcast(inputs: readonly TensorType[], out?: ElementType): readonly TensorType[] {
  const left = typeOf(inputs, 0);
  const right = typeOf(inputs, 1);
  if (left.type !== right.type) throw new Error(`${describeType(left)} and ${describeType(right)} differ in type`);
  return [{ shape: broadcastShapes(left.shape, right.shape), type: out ?? left.type }];
}

type BinaryDerivative = (
  graph: GraphBuilder,
  gradient: Tensor,
  left: Tensor,
  right: Tensor,
  node: Node,
) => [Tensor, Tensor];

function binary(name: string, derivative: BinaryDerivative): Operation {
  return {
    name,
    infer: (inputs) => inferBroadcast(inputs),
    gradient: (graph, node, [gradient]) => {
      if (gradient === undefined || gradient.type !== 'float32') return [];
      const left = operand(node, 0);
      const right = operand(node, 1);
      const [toLeft, toRight] = derivative(graph, gradient, left, right, node);
      return [sumToShape(graph, toLeft, left.shape), sumToShape(graph, toRight, right.shape)];
    },
  };
}

export const add = binary('add', (_, g) => [g, g]);
export const sub = binary('sub', (graph, g) => [g, graph.neg(g)]);
export const mul = binary('mul', (graph, g, left, right) => [graph.mul(g, right), graph.mul(g, left)]);
export const div = binary('div', (graph, g, _, right, node) => {
  const toLeft = graph.div(g, right);
  return [guarded(graph, g, toLeft), guarded(graph, g, graph.neg(graph.mul(toLeft, result(node))))];
});
export const max = binary('max', (graph, g, left, right) => {
  const first = graph.greaterOrEqual(left, right);
  return [graph.where(first, g, 0), graph.where(first, 0, g)];
});
export const min = binary('min', (graph, g, left, right) => {
  const first = graph.lessOrEqual(left, right);
  return [graph.where(first, g, 0), graph.where(first, 0, g)];
});

/** Keeps a gradient of 0 at 0: 0 times the infinite slope of a branch that was not taken would be NaN. */
function guarded(graph: GraphBuilder, gradient: Tensor, product: Tensor): Tensor {
  return graph.where(graph.equal(gradient, 0), 0, product);
}

type UnaryDerivative = (graph: GraphBuilder, gradient: Tensor, of: Tensor, out: Tensor) => Tensor;

function unary(name: string, derivative: UnaryDerivative): Operation {
  return {
    name,
    infer: (inputs) => {
      const of = typeOf(inputs, 0);
      if (of.type !== 'float32') throw new Error(`${name} of ${describeType(of)}`);
      return [of];
    },
    gradient: (graph, node, [g]) => (g === undefined ? [] : [derivative(graph, g, operand(node, 0), result(node))]),
  };
}

export const neg = unary('neg', (graph, g) => graph.neg(g));
export const exp = unary('exp', (graph, g, _, out) => guarded(graph, g, graph.mul(g, out)));
export const log = unary('log', (graph, g, of) => guarded(graph, g, graph.div(g, of)));
export const sqrt = unary('sqrt', (graph, g, _, out) => graph.div(graph.mul(g, 0.5), out));
export const sigmoid = unary('sigmoid', (graph, g, _, out) => graph.mul(g, graph.mul(out, graph.sub(1, out))));
export const softplus = unary('softplus', (graph, g, of) => graph.mul(g, graph.sigmoid(of)));
