/**
 * Compiles a program on vectors to WebAssembly: one loop over all of its operations, four numbers at a time. An engine
 * would write every intermediate vector to memory, and call a kernel for each operation.
 */
import { neededNodes } from '../../graph/needed-nodes.js';
import * as elementwise from '../../operations/elementwise.js';
import { constant, input, state } from '../../operations/leaves.js';
import { sum } from '../../operations/reductions.js';
import type { HostArray, Node, Tensor } from '../../operations/tensor.js';
import type { ProgramTensors } from '../places.js';

/** Numbers of each vector that a call computes: all of them together fit into a processor's cache. */
export const VECTOR_CHUNK = 8192;

/** A program whose state is vectors of one open length, and whose inputs are scalars. */
export interface VectorModule {
  readonly code: Uint8Array<ArrayBuffer>;
  /** Scalar inputs, each four times at `scalarPlace`. */
  readonly scalars: readonly string[];
  /** State, each a chunk at `vectorPlace`. */
  readonly vectors: readonly string[];
  /** Changed state, of `vectors`: its new numbers replace the old ones. */
  readonly assigned: readonly string[];
  /** Outputs, each four partial sums at `sumPlace`. */
  readonly sums: readonly string[];
  /** Bytes of memory. */
  readonly bytes: number;
}

const LANES = 16;
/** Room for scalars and sums. */
const HEAD = 4096;
const MOST_SCALARS = HEAD / LANES / 2;

export const scalarPlace = (index: number): number => LANES * index;
export const sumPlace = (index: number): number => HEAD / 2 + LANES * index;
export const vectorPlace = (index: number): number => HEAD + 4 * VECTOR_CHUNK * index;

/** Opcodes of the WebAssembly specification, after the prefix of vectors. */
const VECTOR_OPERATIONS = new Map<Node['operation'], number>([
  [elementwise.add, 0xe4],
  [elementwise.sub, 0xe5],
  [elementwise.mul, 0xe6],
  [elementwise.div, 0xe7],
  [elementwise.min, 0xe8],
  [elementwise.max, 0xe9],
  [elementwise.neg, 0xe1],
  [elementwise.sqrt, 0xe3],
]);

/**
 * The module of a program; `undefined` if the program is not one of vectors.
 * @param openSizes see `Program.openSizes`
 */
export function vectorModule(
  { outputs, assign, add, append }: ProgramTensors,
  openSizes: { readonly [name: string]: number },
): VectorModule | undefined {
  const [length, ...others] = Object.values(openSizes);
  if (length === undefined || others.length > 0) return undefined;
  if (Object.keys(add).length + Object.keys(append).length > 0) return undefined;
  const nodes = neededNodes([...Object.values(outputs), ...Object.values(assign)]);
  const sums = Object.values(outputs).map(({ node }) => node);
  const isVector = ({ shape, type }: Tensor) => type === 'float32' && shape.length === 1 && shape[0] === length;
  const isScalar = ({ shape, type }: Tensor) => type === 'float32' && shape.length === 0;
  const fits = nodes.every((node) => {
    const [out] = node.outputs as [Tensor];
    if (node.operation === state) return isVector(out) && namesOf(node).length === 1;
    if (node.operation === input || node.operation === constant) return isScalar(out);
    if (node.operation === sum) return sums.includes(node) && isScalar(out) && isVector(node.inputs[0]!);
    return VECTOR_OPERATIONS.has(node.operation) && (isVector(out) || isScalar(out));
  });
  if (!fits || !sums.every(({ operation }) => operation === sum) || !Object.values(assign).every(isVector)) {
    return undefined;
  }
  const vectors = nodes.filter(({ operation }) => operation === state).map((node) => namesOf(node)[0]!);
  const scalars = nodes.filter(({ operation }) => operation === input).map(nameOf);
  const assigned = Object.keys(assign);
  const known = new Set(vectors);
  if (!assigned.every((name) => known.has(name)) || scalars.length > MOST_SCALARS) return undefined;
  const code = moduleOf(functionOf({ nodes, vectors, scalars, assign, sums }));
  return { code, vectors, scalars, assigned, sums: Object.keys(outputs), bytes: vectorPlace(vectors.length) };
}

const namesOf = (node: Node) => (node.attributes as { readonly names: readonly string[] }).names;
const nameOf = (node: Node) => (node.attributes as { readonly name: string }).name;

/** Types and instructions of the WebAssembly specification, chapter 5. */
const I32 = 0x7f;
const V128 = 0x7b;
const instruction = {
  get: (local: number) => [0x20, ...unsigned(local)],
  set: (local: number) => [0x21, ...unsigned(local)],
  load: (place: number) => [0xfd, 0x00, 4, ...unsigned(place)],
  store: (place: number) => [0xfd, 0x0b, 4, ...unsigned(place)],
  number: (value: number) => [0xfd, 0x0c, ...bytesOf(Float32Array.of(value, value, value, value))],
  integer: (value: number) => [0x41, ...signed(value)],
  vector: (opcode: number) => [0xfd, ...unsigned(opcode)],
  // Without a result.
  loop: [0x03, 0x40],
  end: [0x0b],
  again: [0x0d, 0],
  addIntegers: [0x6a],
  isLess: [0x49],
};
const [START, END] = [0, 1];

/** The body of `run(start, end)`: bytes of each chunk, multiples of 16. */
function functionOf({
  nodes,
  vectors,
  scalars,
  assign,
  sums,
}: {
  readonly nodes: readonly Node[];
  readonly vectors: readonly string[];
  readonly scalars: readonly string[];
  readonly assign: { readonly [state: string]: Tensor };
  readonly sums: readonly Node[];
}): number[] {
  const locals = new Map(nodes.map((node, index) => [node, 2 + index] as const));
  const { get, set, load, store, number, integer, vector } = instruction;
  const local = (node: Node) => locals.get(node)!;
  const before: number[] = [];
  const within: number[] = [];
  /** Whether a value is the same in every round. */
  const isSteady = (node: Node): boolean => node.outputs[0]!.shape.length === 0 && node.operation !== sum;
  for (const node of nodes) {
    const into = isSteady(node) ? before : within;
    const operands = node.inputs.flatMap((tensor) => get(local(tensor.node)));
    if (node.operation === state) {
      into.push(...get(START), ...load(vectorPlace(vectors.indexOf(namesOf(node)[0]!))));
    } else if (node.operation === input) into.push(...integer(0), ...load(scalarPlace(scalars.indexOf(nameOf(node)))));
    else if (node.operation === constant) {
      into.push(...number((node.attributes as { readonly data: HostArray }).data[0]!));
    } else if (node.operation === sum) {
      before.push(...number(0), ...set(local(node)));
      into.push(...operands, ...get(local(node)), ...vector(VECTOR_OPERATIONS.get(elementwise.add)!));
    } else into.push(...operands, ...vector(VECTOR_OPERATIONS.get(node.operation)!));
    into.push(...set(local(node)));
  }
  // Every number is read before it is replaced.
  for (const [name, tensor] of Object.entries(assign)) {
    within.push(...get(START), ...get(local(tensor.node)), ...store(vectorPlace(vectors.indexOf(name))));
  }
  const next = [...get(START), ...integer(LANES), ...instruction.addIntegers, ...set(START)];
  const turn = [...get(START), ...get(END), ...instruction.isLess, ...instruction.again];
  const after = sums.flatMap((node, index) => [...integer(0), ...get(local(node)), ...store(sumPlace(index))]);
  const body = [...before, ...instruction.loop, ...within, ...next, ...turn, ...instruction.end, ...after];
  const declared = [1, ...unsigned(nodes.length), V128];
  return [...declared, ...body, ...instruction.end];
}

/** A module with one function, `run`, and the memory `memory` of its host. */
function moduleOf(body: readonly number[]): Uint8Array<ArrayBuffer> {
  const section = (id: number, content: readonly number[]) => [id, ...unsigned(content.length), ...content];
  const text = (of: string) => [of.length, ...Buffer.from(of)];
  return Uint8Array.from([
    ...Buffer.from('\0asm'),
    ...[1, 0, 0, 0],
    ...section(1, [1, 0x60, 2, I32, I32, 0]),
    ...section(2, [1, ...text('host'), ...text('memory'), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text('run'), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

/** LEB128. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}

function signed(value: number): number[] {
  // Small numbers that are not negative only.
  return value < 64 ? [value] : [(value & 0x7f) | 0x80, value >> 7];
}

function bytesOf(numbers: Float32Array): Uint8Array {
  return new Uint8Array(numbers.buffer);
}
