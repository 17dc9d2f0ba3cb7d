import * as operations from '../../operations/elementwise.js';
import { operand, result } from '../../operations/operation.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';
import { toNode } from './to-node.js';

export const tensorflowElementwise: readonly Lowering<TensorFlowEmitter>[] = [
  toNode(operations.add, 'AddV2'),
  toNode(operations.sub, 'Sub'),
  toNode(operations.mul, 'Mul'),
  lowering(operations.div, (emit, node) => {
    const { type } = result(node);
    const inputs = [emit.value(operand(node, 0)), emit.value(operand(node, 1))];
    emit.set(result(node), emit.node(type === 'int32' ? 'TruncateDiv' : 'RealDiv', inputs, { T: { type } }));
  }),
  toNode(operations.max, 'Maximum'),
  toNode(operations.min, 'Minimum'),
  toNode(operations.neg, 'Neg'),
  toNode(operations.exp, 'Exp'),
  toNode(operations.log, 'Log'),
  toNode(operations.sqrt, 'Sqrt'),
  toNode(operations.sigmoid, 'Sigmoid'),
  toNode(operations.softplus, 'Softplus'),
];
