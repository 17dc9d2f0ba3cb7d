/** Programs on engines that keep state in variables of their own. */
import { neededNodes } from '../graph/needed-nodes.js';
import { input, state } from '../operations/leaves.js';
import { elementCount } from '../operations/shapes.js';
import type { ElementType, Tensor, TensorType } from '../operations/tensor.js';

/** Numbers that an engine keeps, [rows, width]. */
export interface PlacedVariable {
  readonly name: string;
  readonly type: ElementType | 'bfloat16';
  readonly width: number;
  /** `undefined` if it changes. */
  readonly rows: number | undefined;
}

/** Numbers of a variable, from a row on. */
export interface Place<Variable extends PlacedVariable = PlacedVariable> {
  readonly variable: Variable;
  /** The first row; `undefined` if each run says. */
  readonly start: number | undefined;
  /** Whether it is all rows, whatever the open sizes of a run are. */
  readonly isAll?: boolean;
}

/** Tensors that a program computes. */
export interface ProgramTensors {
  readonly outputs: { readonly [name: string]: Tensor };
  readonly assign: { readonly [state: string]: Tensor };
  readonly add: { readonly [state: string]: Tensor };
  readonly append: { readonly [state: string]: Tensor };
}

/** Arrays of state that a program reads as one, joined along the first axis. */
interface ReadState extends TensorType {
  readonly names: readonly string[];
}

/** What a program needs, in the order of the graph. */
export interface ProgramLeaves {
  readonly inputs: ReadonlyMap<string, TensorType>;
  readonly reads: readonly ReadState[];
}

export interface ProgramPlaces<Located extends Place = Place> {
  /** Of `ProgramLeaves.reads`. */
  readonly reads: readonly Located[];
  /** Of the changed state, in the order of the program. */
  readonly assign: readonly Located[];
  readonly add: readonly Located[];
  readonly append: readonly Located[];
}

export function leavesOf(program: ProgramTensors): ProgramLeaves {
  const inputs = new Map<string, TensorType>();
  const reads: ReadState[] = [];
  for (const node of neededNodes(tensorsOf(program))) {
    if (node.operation === input) {
      const { name, shape, type } = node.attributes as { readonly name: string } & TensorType;
      inputs.set(name, { shape, type });
    } else if (node.operation === state) reads.push(node.attributes as ReadState);
  }
  return { inputs, reads };
}

/** Everything that a program computes. */
export function tensorsOf({ outputs, assign, add, append }: ProgramTensors): Tensor[] {
  return [outputs, assign, add, append].flatMap((tensors) => Object.values(tensors));
}

/** Places whose start each run gives, in the order of its numbers. */
export function openPlaces<Located extends Place>({ reads, assign, add }: ProgramPlaces<Located>): readonly Located[] {
  return [...reads, ...assign, ...add].filter(({ start }) => start === undefined);
}

/** A change of adjacent rows of a variable: their new numbers, or what is added. */
export interface Change {
  readonly place: Place;
  readonly rows: number;
  /** One after the other. */
  readonly tensors: readonly Tensor[];
}

/** Changes of a program. Those of adjacent rows are joined. */
export function changesOf(tensors: readonly Tensor[], places: readonly Place[]): Change[] {
  const changes: Change[] = [];
  for (const [index, tensor] of tensors.entries()) {
    const place = places[index]!;
    const rows = elementCount(tensor.shape) / place.variable.width;
    const last = changes.at(-1);
    const follows =
      last?.place.start !== undefined &&
      last.place.variable === place.variable &&
      last.place.start + last.rows === place.start;
    if (follows) changes.splice(-1, 1, { ...last, rows: last.rows + rows, tensors: [...last.tensors, tensor] });
    else changes.push({ place, rows, tensors: [tensor] });
  }
  return changes;
}

/** Whether a change replaces a variable. */
export function isWhole({ place, rows }: Pick<Change, 'place' | 'rows'>): boolean {
  if (place.isAll) return true;
  return place.start === 0 && place.variable.rows === rows;
}
