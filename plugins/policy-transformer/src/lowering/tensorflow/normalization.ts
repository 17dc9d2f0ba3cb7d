import { rmsNorm, silu } from '../../operations/normalization.js';
import { operand, result } from '../../operations/operation.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';

const T = { type: 'float32' } as const;

export const tensorflowNormalization: readonly Lowering<TensorFlowEmitter>[] = [
  lowering(rmsNorm, (emit, node) => {
    const of = emit.value(operand(node, 0));
    const squares = emit.node('Mul', [of, of], { T });
    const attributes = { T, Tidx: { type: 'int32' }, keep_dims: true } as const;
    const mean = emit.node('Mean', [squares, emit.integers([result(node).shape.length - 1])], attributes);
    const epsilon = emit.constant(Float32Array.of(node.attributes.epsilon), []);
    const factor = emit.node('Rsqrt', [emit.node('AddV2', [mean, epsilon], { T })], { T });
    const scaled = emit.node('Mul', [of, factor], { T });
    emit.set(result(node), emit.node('Mul', [scaled, emit.value(operand(node, 1))], { T }));
    emit.set(result(node, 1), factor);
  }),
  lowering(silu, (emit, node) => {
    const of = emit.value(operand(node, 0));
    const gate = emit.node('Sigmoid', [of], { T });
    emit.set(result(node), emit.node('Mul', [of, gate], { T }));
    emit.set(result(node, 1), gate);
  }),
];
