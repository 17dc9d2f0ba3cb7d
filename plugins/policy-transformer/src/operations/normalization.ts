import { operand, result, typeOf, type Operation } from './operation.js';
import { describeType, elementCount, sameShape, sizeOf } from './shapes.js';

/**
 * Outputs: y = x r w, and for the derivative r = 1 / sqrt(mean(x^2) + epsilon), [..., 1]. With g the gradient of y and
 * t = g x: dw = sum over rows of r t; dx = r (g w) - x r^3 / width * sum over the row of t w. Both sums are products
 * with a vector.
 */
export const rmsNorm: Operation<{ readonly epsilon: number }> = {
  name: 'rmsNorm',
  infer: (inputs) => {
    const of = typeOf(inputs, 0);
    const weight = typeOf(inputs, 1);
    if (!sameShape(of.shape.slice(-1), weight.shape))
      throw new Error(`rmsNorm of ${describeType(of)} by ${describeType(weight)}`);
    return [of, { shape: of.shape.with(-1, 1), type: 'float32' }];
  },
  gradient: (graph, node, [gradient]) => {
    if (gradient === undefined) return [];
    const of = operand(node, 0);
    const weight = operand(node, 1);
    const width = sizeOf(of.shape, -1);
    const rows = elementCount(of.shape) / width;
    const x = graph.reshape(of, [rows, width]);
    const g = graph.reshape(gradient, [rows, width]);
    const r = graph.reshape(result(node, 1), [rows, 1]);
    const t = graph.mul(g, x);
    const toWeight = graph.reshape(graph.matmul(r, t, { transposeLeft: true }), [width]);
    const along = graph.matmul(t, graph.reshape(weight, [width, 1]), { scale: 1 / width });
    const pull = graph.mul(along, graph.mul(r, graph.mul(r, r)));
    const toX = graph.sub(graph.mul(graph.mul(g, weight), r), graph.mul(x, pull));
    return [graph.reshape(toX, of.shape), toWeight];
  },
};

/** Outputs: y = x sigmoid(x), and sigmoid(x) for the derivative, sigmoid(x) + y (1 - sigmoid(x)). */
export const silu: Operation = {
  name: 'silu',
  infer: (inputs) => [typeOf(inputs, 0), typeOf(inputs, 0)],
  gradient: (graph, node, [g]) => {
    if (g === undefined) return [];
    const out = result(node);
    const gate = result(node, 1);
    return [graph.mul(g, graph.add(out, graph.sub(gate, graph.mul(out, gate))))];
  },
};
