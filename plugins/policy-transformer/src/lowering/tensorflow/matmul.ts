import { matmul } from '../../operations/matmul.js';
import { operand, result } from '../../operations/operation.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';

const T = { type: 'float32' } as const;

export const tensorflowProducts: readonly Lowering<TensorFlowEmitter>[] = [
  lowering(matmul, (emit, node) => {
    const { transposeLeft, transposeRight, scale } = node.attributes;
    const inputs = [emit.value(operand(node, 0)), emit.value(operand(node, 1))];
    const product = node.inputs.every(({ shape }) => shape.length === 2)
      ? emit.node('MatMul', inputs, { T, transpose_a: transposeLeft, transpose_b: transposeRight })
      : emit.node('BatchMatMulV2', inputs, { T, adj_x: transposeLeft, adj_y: transposeRight });
    const factor = () => emit.constant(Float32Array.of(scale), []);
    emit.set(result(node), scale === 1 ? product : emit.node('Mul', [product, factor()], { T }));
  }),
];
