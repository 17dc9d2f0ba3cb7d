import { cast, equal, less, lessOrEqual, or, where } from '../../operations/logic.js';
import type { Lowering } from '../lowerings.js';
import { ONNX_TYPES, type OnnxEmitter } from './onnx-emitter.js';
import { toOperator } from './to-operator.js';

export const onnxLogic: readonly Lowering<OnnxEmitter>[] = [
  toOperator(equal, 'Equal'),
  toOperator(less, 'Less'),
  toOperator(lessOrEqual, 'LessOrEqual'),
  toOperator(or, 'Or'),
  toOperator(where, 'Where'),
  toOperator(cast, 'Cast', ({ attributes: { type } }) => ({ to: ONNX_TYPES[type] })),
];
