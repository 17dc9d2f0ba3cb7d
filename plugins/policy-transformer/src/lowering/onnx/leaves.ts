import { constant, input, state, stopGradient } from '../../operations/leaves.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { OnnxEmitter } from './onnx-emitter.js';
import { toOperator } from './to-operator.js';

export const onnxLeaves: readonly Lowering<OnnxEmitter>[] = [
  // The program declares inputs and state, and the emitter turns a constant into an initializer when it is first named.
  lowering(input, () => undefined),
  lowering(state, () => undefined),
  lowering(constant, () => undefined),
  toOperator(stopGradient, 'Identity'),
];
