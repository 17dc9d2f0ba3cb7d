import { matmul } from '../../operations/matmul.js';
import { operand, result } from '../../operations/operation.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';

const T = { type: 'float32' } as const;

export const tensorflowProducts: readonly Lowering<TensorFlowEmitter>[] = [
  lowering(matmul, (emit, node) => {
    const { transposeLeft, transposeRight, scale, coarse } = node.attributes;
    const isHalf = coarse && emit.coarseType === 'bfloat16';
    const of = isHalf ? ({ type: 'bfloat16' } as const) : T;
    const inputs = [operand(node, 0), operand(node, 1)].map((each) => (isHalf ? emit.half(each) : emit.value(each)));
    const raw = node.inputs.every(({ shape }) => shape.length === 2)
      ? emit.node('MatMul', inputs, { T: of, transpose_a: transposeLeft, transpose_b: transposeRight })
      : emit.node('BatchMatMulV2', inputs, { T: of, adj_x: transposeLeft, adj_y: transposeRight });
    const product = isHalf ? emit.node('Cast', [raw], { SrcT: of, DstT: T }) : raw;
    const factor = () => emit.constant(Float32Array.of(scale), []);
    emit.set(result(node), scale === 1 ? product : emit.node('Mul', [product, factor()], { T }));
  }),
];
