import { addElements, gather, gatherElements, oneHot, scatterSum } from '../../operations/indexing.js';
import { operand, result } from '../../operations/operation.js';
import { elementCount, sizeOf } from '../../operations/shapes.js';
import { lowering, type Lowering } from '../lowerings.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';

const INDEX = { type: 'int32' } as const;

export const tensorflowIndexing: readonly Lowering<TensorFlowEmitter>[] = [
  lowering(gather, (emit, node) => {
    const [table, ids] = [operand(node, 0), operand(node, 1)];
    const inputs = [emit.value(table), emit.value(ids), emit.integer(0)];
    const attributes = { Tparams: { type: table.type }, Tindices: INDEX, Taxis: INDEX };
    emit.set(result(node), emit.node('GatherV2', inputs, attributes));
  }),
  lowering(scatterSum, (emit, node) => {
    const [values, ids] = [operand(node, 0), operand(node, 1)];
    const inputs = [emit.value(values), emit.value(ids), emit.integer(node.attributes.rows)];
    const attributes = { T: { type: values.type }, Tindices: INDEX, Tnumsegments: INDEX };
    emit.set(result(node), emit.node('UnsortedSegmentSum', inputs, attributes));
  }),
  lowering(gatherElements, (emit, node) => {
    const [of, ids] = [operand(node, 0), operand(node, 1)];
    const axis = of.shape.length - 1;
    const inputs = [emit.value(of), emit.value(ids), emit.integer(axis)];
    const attributes = { Tparams: { type: of.type }, Tindices: INDEX, Taxis: INDEX, batch_dims: axis };
    emit.set(result(node), emit.node('GatherV2', inputs, attributes));
  }),
  // The elements of `base` in one row, at row * width + id.
  lowering(addElements, (emit, node) => {
    const [base, ids, values] = [operand(node, 0), operand(node, 1), operand(node, 2)];
    const T = { type: base.type };
    const width = sizeOf(base.shape, -1);
    const count = sizeOf(ids.shape, -1);
    const all = elementCount(base.shape);
    const reshaped = (value: string, shape: readonly number[], type = T) =>
      emit.node('Reshape', [value, emit.target(shape)], { T: type, Tshape: INDEX });
    const starts = emit.node('Range', [emit.integer(0), emit.integer(all), emit.integer(width)], { Tidx: INDEX });
    const column = reshaped(starts, [all / width, 1], INDEX);
    const places = emit.node('AddV2', [column, reshaped(emit.value(ids), [all / width, count], INDEX)], { T: INDEX });
    const flat = [
      reshaped(emit.value(base), [all]),
      reshaped(places, [elementCount(ids.shape), 1], INDEX),
      reshaped(emit.value(values), [elementCount(ids.shape)]),
    ];
    const sums = emit.node('TensorScatterAdd', flat, { T, Tindices: INDEX });
    emit.set(result(node), reshaped(sums, base.shape));
  }),
  lowering(oneHot, (emit, node) => {
    const number = (value: number) => emit.constant(Float32Array.of(value), []);
    const inputs = [emit.value(operand(node, 0)), emit.integer(node.attributes.depth), number(1), number(0)];
    emit.set(result(node), emit.node('OneHot', inputs, { T: { type: 'float32' }, TI: INDEX, axis: -1 }));
  }),
];
