import { inferBroadcast, lowerTo } from './elementwise.js';
import { ONNX_TYPES } from './onnx-emitter.js';
import { operand, result, typeOf, type Operation } from './operation.js';
import { broadcastShapes, describeType, sumToShape } from './shapes.js';
import type { ElementType } from './tensor.js';

function comparison(name: string, operator: string): Operation {
  return { name, infer: (inputs) => inferBroadcast(inputs, 'bool'), lower: lowerTo(operator) };
}

export const equal = comparison('equal', 'Equal');
export const less = comparison('less', 'Less');
export const lessOrEqual = comparison('lessOrEqual', 'LessOrEqual');

export const or: Operation = {
  name: 'or',
  infer: (inputs) => {
    const wrong = inputs.find(({ type }) => type !== 'bool');
    if (wrong) throw new Error(`or of ${describeType(wrong)}`);
    return inferBroadcast(inputs);
  },
  lower: lowerTo('Or'),
};

export const where: Operation = {
  name: 'where',
  infer: (inputs) => {
    const condition = typeOf(inputs, 0);
    const then = typeOf(inputs, 1);
    const otherwise = typeOf(inputs, 2);
    if (condition.type !== 'bool' || then.type !== otherwise.type) {
      throw new Error(`where of ${inputs.map(describeType).join(', ')}`);
    }
    const branches = broadcastShapes(then.shape, otherwise.shape);
    return [{ shape: broadcastShapes(condition.shape, branches), type: then.type }];
  },
  gradient: (graph, node, [gradient]) => {
    if (gradient === undefined) return [];
    const condition = operand(node, 0);
    return [
      undefined,
      sumToShape(graph, graph.where(condition, gradient, 0), operand(node, 1).shape),
      sumToShape(graph, graph.where(condition, 0, gradient), operand(node, 2).shape),
    ];
  },
  lower: lowerTo('Where'),
};

export const cast: Operation<{ readonly type: ElementType }> = {
  name: 'cast',
  infer: (inputs, { type }) => [{ shape: typeOf(inputs, 0).shape, type }],
  lower: (emit, node) =>
    emit.node('Cast', [emit.name(operand(node, 0))], [emit.name(result(node))], {
      to: ONNX_TYPES[node.attributes.type],
    }),
};
