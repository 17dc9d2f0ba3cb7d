import * as operations from '../../operations/elementwise.js';
import type { Lowering } from '../lowerings.js';
import type { OnnxEmitter } from './onnx-emitter.js';
import { toOperator } from './to-operator.js';

export const onnxElementwise: readonly Lowering<OnnxEmitter>[] = [
  toOperator(operations.add, 'Add'),
  toOperator(operations.sub, 'Sub'),
  toOperator(operations.mul, 'Mul'),
  toOperator(operations.div, 'Div'),
  toOperator(operations.max, 'Max'),
  toOperator(operations.min, 'Min'),
  toOperator(operations.neg, 'Neg'),
  toOperator(operations.exp, 'Exp'),
  toOperator(operations.log, 'Log'),
  toOperator(operations.sqrt, 'Sqrt'),
  toOperator(operations.sigmoid, 'Sigmoid'),
  toOperator(operations.softplus, 'Softplus'),
];
