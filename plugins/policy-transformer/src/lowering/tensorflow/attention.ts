import { rotary, scaledAttention } from '../../operations/attention.js';
import { operand, result } from '../../operations/operation.js';
import { sizeOf } from '../../operations/shapes.js';
import type { Shape } from '../../operations/tensor.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';

const T = { type: 'float32' } as const;
const INDEX = { type: 'int32' } as const;

export const tensorflowAttention: readonly Lowering<TensorFlowEmitter>[] = [
  // Each head is two halves: [first, second] cos + [-second, first] sin.
  lowering(rotary, (emit, node) => {
    const [of, cos] = [operand(node, 0), operand(node, 1)];
    const [rows, width, size] = of.shape as [number, number, number];
    const half = sizeOf(cos.shape, 2);
    const heads = size / (2 * half);
    const reshaped = (value: string, shape: Shape) =>
      emit.node('Reshape', [value, emit.integers(shape)], { T, Tshape: INDEX });
    const apart = reshaped(emit.value(of), [rows, width, heads, 2, half]);
    const part = (index: number) =>
      emit.node('Slice', [apart, emit.integers([0, 0, 0, index, 0]), emit.integers([-1, -1, -1, 1, -1])], {
        T,
        Index: INDEX,
      });
    const [first, second] = [part(0), part(1)];
    const turned = emit.node('ConcatV2', [emit.node('Neg', [second], { T }), first, emit.integer(3)], {
      N: 2,
      T,
      Tidx: INDEX,
    });
    const [cosines, sines] = [0, 1].map((index) =>
      reshaped(emit.value(operand(node, index + 1)), [rows, width, 1, 1, half]),
    ) as [string, string];
    const along = emit.node('Mul', [apart, cosines], { T });
    const across = emit.node('Mul', [turned, sines], { T });
    emit.set(result(node), reshaped(emit.node('AddV2', [along, across], { T }), of.shape));
  }),
  lowering(scaledAttention, (emit, node) => {
    const [query, key, value, bias] = node.inputs.map((tensor) => emit.value(tensor)) as [
      string,
      string,
      string,
      string,
    ];
    const products = emit.node('BatchMatMulV2', [query, key], { T, adj_y: true });
    const scores = emit.node('Mul', [products, emit.constant(Float32Array.of(node.attributes.scale), [])], { T });
    const probabilities = emit.node('Softmax', [emit.node('AddV2', [scores, bias], { T })], { T });
    emit.set(result(node), emit.node('BatchMatMulV2', [probabilities, value], { T }));
    emit.set(result(node, 1), probabilities);
  }),
];
