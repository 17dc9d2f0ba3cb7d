import { inferBroadcast } from './elementwise.js';
import { operand, typeOf, type Operation } from './operation.js';
import { broadcastShapes, describeType, sumToShape } from './shapes.js';
import type { ElementType } from './tensor.js';

function comparison(name: string): Operation {
  return { name, infer: (inputs) => inferBroadcast(inputs, 'bool') };
}

export const equal = comparison('equal');
export const less = comparison('less');
export const lessOrEqual = comparison('lessOrEqual');

export const or: Operation = {
  name: 'or',
  infer: (inputs) => {
    const wrong = inputs.find(({ type }) => type !== 'bool');
    if (wrong) throw new Error(`or of ${describeType(wrong)}`);
    return inferBroadcast(inputs);
  },
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
};

export const cast: Operation<{ readonly type: ElementType }> = {
  name: 'cast',
  infer: (inputs, { type }) => [{ shape: typeOf(inputs, 0).shape, type }],
};
