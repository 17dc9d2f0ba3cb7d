import type { GraphBuilder } from './graph-builder.js';
import { operand, result, typeOf, type Operation } from './operation.js';
import { describeType, sameShape, sizeOf } from './shapes.js';
import type { Tensor } from './tensor.js';

/** Over the last axis. */
export const softmax: Operation = {
  name: 'softmax',
  infer: (inputs) => [typeOf(inputs, 0)],
  gradient: (graph, node, [g]) => {
    return g === undefined ? [] : [softmaxGradient(graph, result(node), g)];
  },
};

function softmaxGradient(graph: GraphBuilder, probabilities: Tensor, gradient: Tensor): Tensor {
  const weighted = graph.mul(gradient, probabilities);
  return graph.sub(weighted, graph.mul(probabilities, graph.sum(weighted, { axes: [-1], keep: true })));
}

export const logSoftmax: Operation = {
  name: 'logSoftmax',
  infer: (inputs) => [typeOf(inputs, 0)],
  gradient: (graph, node, [g]) => {
    if (g === undefined) return [];
    return [graph.sub(g, graph.mul(graph.exp(result(node)), graph.sum(g, { axes: [-1], keep: true })))];
  },
};

/**
 * Of logits [n, vocabulary]: probabilities [n, vocabulary], and the log partition function [n], which is the logarithm of
 * the sum of exponentials, the denominator of the softmax.
 */
export const distribution: Operation = {
  name: 'distribution',
  infer: (inputs) => {
    const logits = typeOf(inputs, 0);
    if (logits.shape.length !== 2) throw new Error(`distribution of ${describeType(logits)}`);
    return [logits, { shape: logits.shape.slice(0, 1), type: 'float32' }];
  },
  gradient: (graph, node, [toProbabilities, toPartition]) => {
    const probabilities = result(node);
    const column = toPartition && graph.reshape(toPartition, [sizeOf(operand(node, 0).shape, 0), 1]);
    const onPartition = column && graph.mul(probabilities, column);
    if (toProbabilities === undefined) return [onPartition];
    const onProbabilities = softmaxGradient(graph, probabilities, toProbabilities);
    return [onPartition ? graph.add(onProbabilities, onPartition) : onProbabilities];
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
