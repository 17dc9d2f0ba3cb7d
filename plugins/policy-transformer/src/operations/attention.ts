import { operand, result, typeOf, type Operation } from './operation.js';
import { broadcastShapes, describeType, sameShape, sizeOf } from './shapes.js';

/** The adjoint of a rotation is its inverse: the same operation with the sine negated. */
export const rotary: Operation = {
  name: 'rotary',
  infer: (inputs) => {
    const of = typeOf(inputs, 0);
    const cos = typeOf(inputs, 1);
    const headWidth = 2 * sizeOf(cos.shape, -1);
    if (
      of.shape.length !== 3 ||
      !sameShape(cos.shape, typeOf(inputs, 2).shape) ||
      !sameShape(cos.shape.slice(0, 2), of.shape.slice(0, 2)) ||
      sizeOf(of.shape, 2) % headWidth !== 0
    ) {
      throw new Error(`rotary of ${inputs.map(describeType).join(', ')}`);
    }
    return [of];
  },
  gradient: (graph, node, [g]) => [g && graph.rotary(g, operand(node, 1), graph.neg(operand(node, 2)))],
};

/**
 * softmax(scale * query key^T + bias) value, of query [..., n, width], key [..., m, width], value [..., m, w]; bias
 * broadcasts to [..., n, m]. Outputs: the context [..., n, w], and for the derivative the probabilities [..., n, m].
 * The derivative of softmax needs row sums of probabilities * their gradient. These equal the row sums of gradient *
 * context (Dao et al. 2022, section 3), which is far smaller.
 */
export const scaledAttention: Operation<{ readonly scale: number }> = {
  name: 'scaledAttention',
  infer: (inputs) => {
    const query = typeOf(inputs, 0);
    const key = typeOf(inputs, 1);
    const value = typeOf(inputs, 2);
    const scores = query.shape.with(-1, sizeOf(key.shape, -2));
    const fits =
      sameShape(query.shape.slice(0, -2), key.shape.slice(0, -2)) &&
      sizeOf(query.shape, -1) === sizeOf(key.shape, -1) &&
      sameShape(key.shape.slice(0, -1), value.shape.slice(0, -1)) &&
      sameShape(broadcastShapes(scores, typeOf(inputs, 3).shape), scores);
    if (!fits) throw new Error(`scaledAttention of ${inputs.map(describeType).join(', ')}`);
    return [
      { shape: query.shape.with(-1, sizeOf(value.shape, -1)), type: 'float32' },
      { shape: scores, type: 'float32' },
    ];
  },
  gradient: (graph, node, [gradient]) => {
    if (gradient === undefined) return [];
    const { scale } = node.attributes;
    const probabilities = result(node, 1);
    const rowSums = graph.sum(graph.mul(gradient, result(node)), { axes: [-1], keep: true });
    const toProbabilities = graph.matmul(gradient, operand(node, 2), { transposeRight: true });
    const toScores = graph.mul(probabilities, graph.sub(toProbabilities, rowSums));
    return [
      graph.matmul(toScores, operand(node, 1), { scale }),
      graph.matmul(toScores, operand(node, 0), { transposeLeft: true, scale }),
      graph.matmul(probabilities, gradient, { transposeLeft: true }),
    ];
  },
};
