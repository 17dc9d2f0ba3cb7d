import { operand, result, typeOf, type Operation } from './operation.js';
import { describeType, sameShape, sizeOf } from './shapes.js';

/** Over the last axis. */
export const softmax: Operation = {
  name: 'softmax',
  infer: (inputs) => [typeOf(inputs, 0)],
  gradient: (graph, node, [g]) => {
    if (g === undefined) return [];
    const out = result(node);
    const weighted = graph.mul(g, out);
    return [graph.sub(weighted, graph.mul(out, graph.sum(weighted, { axes: [-1], keep: true })))];
  },
};

export const logSoftmax: Operation = {
  name: 'logSoftmax',
  infer: (inputs) => [typeOf(inputs, 0)],
  gradient: (graph, node, [g]) => {
    if (g === undefined) return [];
    return [graph.sub(g, graph.mul(graph.exp(result(node)), graph.sum(g, { axes: [-1], keep: true })))];
  },
};

/**
 * Outputs: log probability of the ids [n], entropy [n], and for the derivative log-softmax and softmax [n, vocabulary].
 * With L = log-softmax, p = exp L, H = -sum p L: d logprob / d logits = onehot - p; dH / d logits = -p (L + H).
 */
export const tokenStatistics: Operation = {
  name: 'tokenStatistics',
  infer: (inputs) => {
    const logits = typeOf(inputs, 0);
    const ids = typeOf(inputs, 1);
    if (logits.shape.length !== 2 || ids.type !== 'int32' || !sameShape(ids.shape, logits.shape.slice(0, 1))) {
      throw new Error(`tokenStatistics of ${describeType(logits)} at ${describeType(ids)}`);
    }
    const perToken = { shape: ids.shape, type: 'float32' } as const;
    return [perToken, perToken, logits, logits];
  },
  gradient: (graph, node, [toLogprob, toEntropy]) => {
    const count = sizeOf(operand(node, 0).shape, 0);
    const column = [count, 1];
    const probabilities = result(node, 3);
    const ids = graph.reshape(operand(node, 1), column);
    const logprobFactor = toLogprob && graph.reshape(toLogprob, column);
    // Negating the small factors saves a pass over the whole matrix.
    let onDistribution = logprobFactor && graph.neg(logprobFactor);
    if (toEntropy !== undefined) {
      const factor = graph.neg(graph.reshape(toEntropy, column));
      const whole = graph.mul(factor, graph.reshape(result(node, 1), column));
      const constantPart = onDistribution === undefined ? whole : graph.add(onDistribution, whole);
      onDistribution = graph.add(graph.mul(result(node, 2), factor), constantPart);
    }
    if (onDistribution === undefined) return [];
    const spread = graph.mul(probabilities, onDistribution);
    return [logprobFactor === undefined ? spread : graph.addElements(spread, ids, logprobFactor)];
  },
};
