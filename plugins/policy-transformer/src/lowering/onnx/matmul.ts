import { matmul, type MatmulAttributes } from '../../operations/matmul.js';
import { operand, result } from '../../operations/operation.js';
import { sizeOf } from '../../operations/shapes.js';
import type { Node, Tensor } from '../../operations/tensor.js';
import { lowering, type Lowering } from '../lowerings.js';
import { MICROSOFT, type OnnxEmitter } from './onnx-emitter.js';

/**
 * ONNX Runtime adds up to this many products in a single sum, for any layout of the operands.
 * (onnxruntime/core/mlas/lib/mlasi.h: MLAS_SGEMM_STRIDEK.)
 */
const LONGEST_SINGLE_SUM = 128;
const WIDEST_SPLIT = 1024;

/**
 * Whether the transposed product is computed, and transposed back. With few rows this is up to twice as fast, because
 * the engine rearranges the right operand before it multiplies, which a large matrix should not be.
 */
export function isTurned(node: Node<MatmulAttributes>, isFixed: (tensor: Tensor) => boolean): boolean {
  return node.attributes.fewRows ? !isFixed(operand(node, 1)) : isThreadSensitive(node, isFixed);
}

/**
 * ONNX Runtime splits a product among threads along the longer side of the result. It sums long rows in blocks whose
 * length depends on the width of a thread's part. So the bits of a result that is wider than long can depend on the
 * number of threads. The transposed product is split along its rows, which never changes bits. A right operand that is
 * the same in every run is packed in fixed blocks. Such a product must not be transposed, because its bits would then
 * depend on the number of rows. (onnxruntime/core/mlas/lib/sgemm.cpp: MlasSgemmOperation, MlasSgemmPackedOperation,
 * MlasSgemmThreaded.)
 */
function isThreadSensitive(node: Node<MatmulAttributes>, isFixed: (tensor: Tensor) => boolean): boolean {
  const left = operand(node, 0);
  const right = operand(node, 1);
  if (left.shape.length !== 2 || right.shape.length !== 2 || isFixed(right)) return false;
  const [rows, columns] = result(node).shape as [number, number];
  const inner = sizeOf(left.shape, node.attributes.transposeLeft ? -2 : -1);
  return inner > LONGEST_SINGLE_SUM && rows < columns && columns <= WIDEST_SPLIT;
}

/** Rank 2 becomes a Gemm and batches become a (Fused)MatMul, so no transposed copy is ever made. */
export const onnxProducts: readonly Lowering<OnnxEmitter>[] = [
  lowering(matmul, (emit, node) => {
    const { transposeLeft, transposeRight, scale } = node.attributes;
    const inputs = node.inputs.map((tensor) => emit.name(tensor));
    const outputs = [emit.name(result(node))];
    const flags = { transA: Number(transposeLeft), transB: Number(transposeRight), alpha: { float: scale } };
    if (isTurned(node, (tensor) => emit.isFixed(tensor))) {
      const turned = emit.temporary();
      const turnedFlags = { ...flags, transA: Number(!transposeRight), transB: Number(!transposeLeft) };
      // Not a Gemm: the engine would fold the Transpose after it into the Gemm, which reverts the product.
      emit.node('FusedMatMul', inputs.toReversed(), [turned], turnedFlags, MICROSOFT);
      emit.node('Transpose', [turned], outputs, { perm: [1, 0] });
    } else if (node.inputs.every(({ shape }) => shape.length === 2)) emit.node('Gemm', inputs, outputs, flags);
    else if (!transposeLeft && !transposeRight && scale === 1) emit.node('MatMul', inputs, outputs);
    else emit.node('FusedMatMul', inputs, outputs, flags, MICROSOFT);
  }),
];
