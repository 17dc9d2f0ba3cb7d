import { rmsNorm, silu } from '../../operations/normalization.js';
import { operand, result } from '../../operations/operation.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { OnnxEmitter } from './onnx-emitter.js';
import { toOperator } from './to-operator.js';

export const onnxNormalization: readonly Lowering<OnnxEmitter>[] = [
  toOperator(rmsNorm, 'SimplifiedLayerNormalization', ({ attributes: { epsilon } }) => ({
    axis: -1,
    epsilon: { float: epsilon },
    stash_type: 1,
  })),
  lowering(silu, (emit, node) => {
    const of = emit.name(operand(node, 0));
    const gate = emit.name(result(node, 1));
    emit.node('Sigmoid', [of], [gate]);
    emit.node('Mul', [of, gate], [emit.name(result(node))]);
  }),
];
