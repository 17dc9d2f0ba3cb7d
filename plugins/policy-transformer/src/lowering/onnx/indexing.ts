/**
 * Sums over repeated ids use a one-hot product or `ScatterElements(add)`, which applies its updates in order. On the
 * CPU, the `ScatterND` of ONNX Runtime with a reduction loses updates on repeated ids when it has more than one thread.
 */
import { addElements, gather, gatherElements, oneHot, scatterSum } from '../../operations/indexing.js';
import { operand, result } from '../../operations/operation.js';
import { elementCount } from '../../operations/shapes.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { OnnxEmitter } from './onnx-emitter.js';
import { toOperator } from './to-operator.js';

/** Up to this many rows, a one-hot product is faster. */
const ONE_HOT_ROWS = 1024;

export const onnxIndexing: readonly Lowering<OnnxEmitter>[] = [
  lowering(gather, (emit, node) =>
    emit.node(
      'Gather',
      node.inputs.slice(0, 2).map((tensor) => emit.name(tensor)),
      [emit.name(result(node))],
      { axis: 0 },
    ),
  ),
  lowering(scatterSum, (emit, node) => {
    const { rows } = node.attributes;
    const out = result(node);
    const count = elementCount(operand(node, 1).shape);
    const width = elementCount(out.shape.slice(1));
    const values = emit.temporary();
    emit.node('Reshape', [emit.name(operand(node, 0)), emit.target([count, width])], [values], { allowzero: 1 });
    const sums = emit.temporary();
    if (rows <= ONE_HOT_ROWS) {
      const ids = emit.temporary();
      emit.node('Reshape', [emit.name(operand(node, 1)), emit.target([count])], [ids], { allowzero: 1 });
      // Copying rows of the identity is several times faster than OneHot.
      const identity = Float32Array.from({ length: rows * rows }, (_, index) => Number(index % (rows + 1) === 0));
      const hot = emit.temporary();
      emit.node('Gather', [emit.constant(identity, [rows, rows]), ids], [hot], { axis: 0 });
      emit.node('Gemm', [hot, values], [sums], { transA: 1 });
    } else {
      const ids = emit.temporary();
      emit.node('Reshape', [emit.name(operand(node, 1)), emit.target([count, 1])], [ids], { allowzero: 1 });
      const spread = emit.temporary();
      emit.node('Expand', [ids, emit.integers([count, width])], [spread]);
      const zeros = emit.temporary();
      emit.node('Expand', [emit.constant(Float32Array.of(0), []), emit.integers([rows, width])], [zeros]);
      emit.node('ScatterElements', [zeros, spread, values], [sums], { axis: 0, reduction: 'add' });
    }
    emit.node('Reshape', [sums, emit.target(out.shape)], [emit.name(out)], { allowzero: 1 });
  }),
  toOperator(gatherElements, 'GatherElements', () => ({ axis: -1 })),
  toOperator(addElements, 'ScatterElements', () => ({ axis: -1, reduction: 'add' })),
  lowering(oneHot, (emit, node) => {
    const depth = emit.constant(Int32Array.of(node.attributes.depth), []);
    const values = emit.constant(Float32Array.of(0, 1), [2]);
    emit.node('OneHot', [emit.name(operand(node, 0)), depth, values], [emit.name(result(node))], { axis: -1 });
  }),
];
