import { rotary, scaledAttention } from '../../operations/attention.js';
import { operand } from '../../operations/operation.js';
import { sizeOf } from '../../operations/shapes.js';
import { lowering, type Lowering } from '../lowerings.js';
import { MICROSOFT, type OnnxEmitter } from './onnx-emitter.js';
import { toOperator } from './to-operator.js';

export const onnxAttention: readonly Lowering<OnnxEmitter>[] = [
  toOperator(rotary, 'RotaryEmbedding', (node) => ({
    num_heads: sizeOf(operand(node, 0).shape, 2) / (2 * sizeOf(operand(node, 1).shape, 2)),
  })),
  lowering(scaledAttention, (emit, node) => {
    const [query, key, value, bias] = node.inputs.map((tensor) => emit.name(tensor)) as [
      string,
      string,
      string,
      string,
    ];
    const [context, probabilities] = node.outputs.map((tensor) => emit.name(tensor)) as [string, string];
    const scores = emit.temporary();
    emit.node('FusedMatMul', [query, key], [scores], { transB: 1, alpha: { float: node.attributes.scale } }, MICROSOFT);
    const biased = emit.temporary();
    emit.node('Add', [scores, bias], [biased]);
    emit.node('Softmax', [biased], [probabilities]);
    emit.node('MatMul', [probabilities, value], [context]);
  }),
];
