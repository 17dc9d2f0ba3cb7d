import { MICROSOFT } from './onnx-emitter.js';
import { operand, result, typeOf, type Operation } from './operation.js';
import { broadcastShapes, describeType, sizeOf, sumToShape } from './shapes.js';
import type { Node, Tensor } from './tensor.js';

export interface MatmulAttributes {
  readonly transposeLeft: boolean;
  readonly transposeRight: boolean;
  readonly scale: number;
  readonly fewRows: boolean;
}

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

/**
 * Both operands have at least rank 2. Rank 2 becomes a Gemm and batches become a (Fused)MatMul, so no transposed copy
 * is ever made.
 */
export const matmul: Operation<MatmulAttributes> = {
  name: 'matmul',
  infer: (inputs, { transposeLeft, transposeRight }) => {
    const left = typeOf(inputs, 0);
    const right = typeOf(inputs, 1);
    const rows = sizeOf(left.shape, transposeLeft ? -1 : -2);
    const columns = sizeOf(right.shape, transposeRight ? -2 : -1);
    const inner = sizeOf(left.shape, transposeLeft ? -2 : -1);
    if (
      inner !== sizeOf(right.shape, transposeRight ? -1 : -2) ||
      left.type !== 'float32' ||
      right.type !== 'float32'
    ) {
      const flags = `${transposeLeft ? ', left transposed' : ''}${transposeRight ? ', right transposed' : ''}`;
      throw new Error(`matmul of ${describeType(left)} and ${describeType(right)}${flags}`);
    }
    const batch = broadcastShapes(left.shape.slice(0, -2), right.shape.slice(0, -2));
    return [{ shape: [...batch, rows, columns], type: 'float32' }];
  },
  gradient: (graph, node, [gradient]) => {
    if (gradient === undefined) return [];
    const left = operand(node, 0);
    const right = operand(node, 1);
    const { transposeLeft, transposeRight, scale } = node.attributes;
    const toLeft = transposeLeft
      ? graph.matmul(right, gradient, { transposeLeft: transposeRight, transposeRight: true, scale })
      : graph.matmul(gradient, right, { transposeRight: !transposeRight, scale });
    const toRight = transposeRight
      ? graph.matmul(gradient, left, { transposeLeft: true, transposeRight: transposeLeft, scale })
      : graph.matmul(left, gradient, { transposeLeft: !transposeLeft, scale });
    return [sumToShape(graph, toLeft, left.shape), sumToShape(graph, toRight, right.shape)];
  },
  lower: (emit, node) => {
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
  },
};
