import { operand, result } from '../../operations/operation.js';
import { sizeOf } from '../../operations/shapes.js';
import { distribution, logSoftmax, softmax, tokenStatistics } from '../../operations/softmax.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { OnnxEmitter } from './onnx-emitter.js';
import { toOperator } from './to-operator.js';

/** The last axis is ONNX's default. */
export const onnxSoftmaxes: readonly Lowering<OnnxEmitter>[] = [
  toOperator(softmax, 'Softmax'),
  toOperator(logSoftmax, 'LogSoftmax'),
  lowering(distribution, (emit, node) => {
    const logits = emit.name(operand(node, 0));
    const probabilities = emit.name(result(node));
    emit.node('Softmax', [logits], [probabilities]);
    // The logit of the likeliest token, less the logarithm of its probability. So nothing else is written for every logit.
    const largest = (of: string): string => {
      const out = emit.temporary();
      emit.node('ReduceMax', [of, emit.integers([1])], [out], { keepdims: 0 });
      return out;
    };
    const log = emit.temporary();
    emit.node('Log', [largest(probabilities)], [log]);
    emit.node('Sub', [largest(logits), log], [emit.name(result(node, 1))]);
  }),
  lowering(tokenStatistics, (emit, node) => {
    const [logprob, entropy, logs, probabilities] = node.outputs.map((tensor) => emit.name(tensor)) as [
      string,
      string,
      string,
      string,
    ];
    const count = sizeOf(operand(node, 0).shape, 0);
    emit.node('LogSoftmax', [emit.name(operand(node, 0))], [logs]);
    emit.node('Exp', [logs], [probabilities]);
    const products = emit.temporary();
    emit.node('Mul', [logs, probabilities], [products]);
    const negative = emit.temporary();
    emit.node('ReduceSum', [products, emit.integers([1])], [negative], { keepdims: 0 });
    emit.node('Neg', [negative], [entropy]);
    const column = emit.temporary();
    emit.node('Reshape', [emit.name(operand(node, 1)), emit.integers([count, 1])], [column], { allowzero: 1 });
    const picked = emit.temporary();
    emit.node('GatherElements', [logs, column], [picked], { axis: 1 });
    emit.node('Reshape', [picked, emit.integers([count])], [logprob], { allowzero: 1 });
  }),
];
