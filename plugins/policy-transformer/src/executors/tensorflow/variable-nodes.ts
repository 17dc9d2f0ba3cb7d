import type { TensorFlowNode, TensorFlowType } from '../../lowering/tensorflow/graph-def.js';
import { GraphWriter } from '../../lowering/tensorflow/graph-writer.js';
import { HALF_HANDLE, HANDLE, handleOf } from '../../lowering/tensorflow/lower-program.js';
import type { Variable } from '../variables/variable.js';

const INDEX = { type: 'int32' } as const;

/** The type in which numbers of a variable come from and go to the memory of the process. */
export function sharedType(type: TensorFlowType): 'float32' | 'uint8' {
  return type === 'float32' || type === 'bfloat16' ? 'float32' : 'uint8';
}

/** Inputs of all nodes below. */
export const VALUE = { float32: 'shared/float32', uint8: 'shared/uint8' } as const;
/** [2]: first row and number of rows. */
export const RANGE = 'shared/range';
export const MOVED_FROM = 'shared/from';
export const MOVED_TO = 'shared/to';

export function sharedNodes(): readonly TensorFlowNode[] {
  const writer = new GraphWriter('shared');
  writer.placeholder('float32', 'float32');
  writer.placeholder('uint8', 'uint8');
  writer.placeholder('int32', 'range');
  writer.placeholder('int32', 'from');
  writer.placeholder('int32', 'to');
  return writer.nodes;
}

/**
 * A variable, and what can be done with it: `whole` and `part` read it, `replace`,
 * `write`, `add` and `zero` change it.
 * @param hasHalf whether it has a copy in bfloat16, which `round` makes
 */
export function variableNodes(variable: Variable, hasHalf: boolean): readonly TensorFlowNode[] {
  const { name, type, width } = variable;
  const writer = new GraphWriter(name);
  const dtype = { dtype: { type } };
  const handle = writer.node('VarHandleOp', [], { ...dtype, shape: { shape: undefined }, shared_name: name }, HANDLE);
  const read = writer.node('ReadVariableOp', [handle], dtype);
  const cast = (of: string, from: TensorFlowType, to: TensorFlowType, as?: string): string => {
    if (from === to) return writer.node('Identity', [of], { T: { type: from } }, as);
    // Numbers of 8 bits keep their bits.
    return from === 'int8' || to === 'int8'
      ? writer.node('Bitcast', [of], { T: { type: from }, type: { type: to } }, as)
      : writer.node('Cast', [of], { SrcT: { type: from }, DstT: { type: to } }, as);
  };
  const shared = sharedType(type);
  const flat = (of: string) => writer.node('Reshape', [of, writer.integers([-1])], { T: { type }, Tshape: INDEX });
  // The addon reads no tensors of 8 bits.
  const give = (of: string, as: string) => {
    if (shared === 'float32') cast(of, type, shared, as);
    else writer.node('Cast', [of], { SrcT: { type }, DstT: INDEX }, as);
  };
  give(flat(read), 'whole');
  const [first, count] = rangeOf(writer);
  const begin = writer.pack([first, writer.integer(0)]);
  const size = writer.pack([count, writer.integer(width)]);
  give(flat(writer.node('Slice', [read, begin, size], { T: { type }, Index: INDEX })), 'part');

  const value = cast(VALUE[shared], shared, type);
  const end = writer.node('AddV2', [first, count], { T: INDEX });
  const range = [writer.pack([first]), writer.pack([end]), writer.integers([1])];
  const written = writer.node('ResourceStridedSliceAssign', [handle, ...range, value], { T: { type }, Index: INDEX });
  writer.done([written], 'write');
  // A variable that is once written in part is copied whenever it is read (`EnsureSparseVariableAccess` of
  // tensorflow/core/kernels/training_op_helpers.h). So a whole one is replaced: by a copy, because the memory of the
  // process must not become that of the variable; it can be let go only on the thread that made it.
  const copy = writer.node('DeepCopy', [value], { T: { type } });
  writer.done([writer.node('AssignVariableOp', [handle, copy], dtype)], 'replace');
  if (type === 'float32') writer.done([writer.node('AssignAddVariableOp', [handle, value], dtype)], 'add');
  writer.done([writer.node('AssignVariableOp', [handle, zeros(writer, variable)], dtype)], 'zero');
  if (hasHalf) {
    const half = { dtype: { type: 'bfloat16' } } as const;
    const shared_name = `${name}/${HALF_HANDLE}`;
    const halfHandle = writer.node(
      'VarHandleOp',
      [],
      { ...half, shape: { shape: undefined }, shared_name },
      HALF_HANDLE,
    );
    const rounded = cast(read, type, 'bfloat16');
    writer.done([writer.node('AssignVariableOp', [halfHandle, rounded], half)], 'round');
  }
  return writer.nodes;
}

/** `copied` copies rows of all variables at the same time, `resized` gives them another number of rows. */
export function moveNodes(group: string, variables: readonly Variable[]): readonly TensorFlowNode[] {
  const writer = new GraphWriter(group);
  const copied: string[] = [];
  const resized: string[] = [];
  for (const variable of variables) {
    const { type } = variable;
    const handle = handleOf(variable);
    const dtype = { type };
    const read = writer.node('ReadVariableOp', [handle], { dtype });
    // `ResourceGather` and `ResourceScatterUpdate` would make every later read of the variable a copy.
    const moved = writer.node('GatherV2', [read, MOVED_FROM, writer.integer(0)], {
      Tparams: dtype,
      Tindices: INDEX,
      Taxis: INDEX,
    });
    copied.push(writer.node('InplaceUpdate', [read, MOVED_TO, moved], { T: { type } }));
    const column = writer.node('Reshape', [MOVED_TO, writer.integers([-1, 1])], { T: INDEX, Tshape: INDEX });
    const whole = writer.node('TensorScatterUpdate', [zeros(writer, variable), column, moved], {
      T: { type },
      Tindices: INDEX,
    });
    resized.push(writer.node('AssignVariableOp', [handle, whole], { dtype }));
  }
  writer.done(copied, 'copied');
  writer.done(resized, 'resized');
  return writer.nodes;
}

/** Scalars of the shared range. */
function rangeOf(writer: GraphWriter): [first: string, count: string] {
  const scalars = writer.node('Unpack', [RANGE], { num: 2, T: INDEX });
  return [scalars, `${scalars}:1`];
}

/** [rows, width] for the rows of the shared range. */
function zeros(writer: GraphWriter, { type, width }: Variable): string {
  const [, rows] = rangeOf(writer);
  const shape = writer.pack([rows, writer.integer(width)]);
  const zero = writer.node('Cast', [writer.constant(Float32Array.of(0), [])], {
    SrcT: { type: 'float32' },
    DstT: { type },
  });
  return writer.node('Fill', [shape, zero], { T: { type }, index_type: INDEX });
}
