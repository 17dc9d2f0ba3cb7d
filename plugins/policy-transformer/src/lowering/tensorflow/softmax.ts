import { operand, result } from '../../operations/operation.js';
import { sizeOf } from '../../operations/shapes.js';
import { distribution, logSoftmax, softmax, tokenStatistics } from '../../operations/softmax.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';
import { toNode } from './to-node.js';

const T = { type: 'float32' } as const;
const INDEX = { type: 'int32' } as const;

/** The last axis is TensorFlow's only one. */
export const tensorflowSoftmaxes: readonly Lowering<TensorFlowEmitter>[] = [
  toNode(softmax, 'Softmax'),
  toNode(logSoftmax, 'LogSoftmax'),
  lowering(distribution, (emit, node) => {
    const logits = emit.value(operand(node, 0));
    const probabilities = emit.node('Softmax', [logits], { T });
    const largest = (of: typeof logits) => emit.node('Max', [of, emit.integers([1])], { T, Tidx: INDEX });
    const log = emit.node('Log', [largest(probabilities)], { T });
    emit.set(result(node), probabilities);
    emit.set(result(node, 1), emit.node('Sub', [largest(logits), log], { T }));
  }),
  lowering(tokenStatistics, (emit, node) => {
    const [logits, ids] = [operand(node, 0), operand(node, 1)];
    const logs = emit.node('LogSoftmax', [emit.value(logits)], { T });
    const probabilities = emit.node('Exp', [logs], { T });
    const products = emit.node('Mul', [logs, probabilities], { T });
    const negative = emit.node('Sum', [products, emit.integers([1])], { T, Tidx: INDEX });
    const entropy = emit.node('Neg', [negative], { T });
    const column = [sizeOf(logits.shape, 0), 1];
    const places = emit.node('Reshape', [emit.value(ids), emit.target(column)], { T: INDEX, Tshape: INDEX });
    const attributes = { Tparams: T, Tindices: INDEX, Taxis: INDEX, batch_dims: 1 };
    const picked = emit.node('GatherV2', [logs, places, emit.integer(1)], attributes);
    const logprob = emit.node('Reshape', [picked, emit.target(ids.shape)], { T, Tshape: INDEX });
    for (const [index, value] of [logprob, entropy, logs, probabilities].entries())
      emit.set(result(node, index), value);
  }),
];
