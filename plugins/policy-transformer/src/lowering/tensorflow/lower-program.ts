import { neededNodes } from '../../graph/needed-nodes.js';
import { reshape } from '../../operations/layout.js';
import { input, state } from '../../operations/leaves.js';
import { elementCount } from '../../operations/shapes.js';
import type { HostArray, Node, Shape, Tensor, TensorType } from '../../operations/tensor.js';
import { OpenSizes } from '../open-sizes.js';
import { GraphWriter, control } from './graph-writer.js';
import type { TensorFlowNode, TensorFlowType } from './graph-def.js';
import { tensorflowLowerings } from './lowerings.js';
import { roundAtRandom } from './round-at-random.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';

/** A variable of the graph, [rows, width]. */
export interface GraphVariable {
  /** The node of its handle. */
  readonly handle: string;
  readonly type: TensorFlowType;
  readonly width: number;
  /** Rows; `undefined` if they change. */
  readonly rows: number | undefined;
}

/** Numbers of a variable, from a row on. */
export interface Place {
  readonly variable: GraphVariable;
  /** The first row; `undefined` if each run says. */
  readonly start: number | undefined;
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

export interface ProgramPlaces {
  /** Of `ProgramLeaves.reads`. */
  readonly reads: readonly Place[];
  /** Of the changed state, in the order of the program. */
  readonly assign: readonly Place[];
  readonly add: readonly Place[];
  readonly append: readonly Place[];
}

/** A program as nodes of a graph. */
export interface ProgramNodes {
  readonly nodes: readonly TensorFlowNode[];
  /** Placeholder of the int32 numbers of a run: the open sizes, the seed of rounding, and the starts of open places. */
  readonly numbers: string;
  /** Placeholders of the inputs, in the order of `ProgramLeaves.inputs`. */
  readonly inputs: readonly string[];
  /** Placeholder of the int32 rows to which new keys and values go. */
  readonly appendRows: string;
  /** Outputs, in the order of the program. */
  readonly outputs: readonly string[];
  /** A value that exists when all state has changed; `undefined` if none changes. */
  readonly done: string | undefined;
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

/** Places whose start each run gives, in the order of the numbers. */
export function openPlaces({ reads, assign, add }: ProgramPlaces): readonly Place[] {
  return [...reads, ...assign, ...add].filter(({ start }) => start === undefined);
}

/**
 * Writes what a program needs as TensorFlow nodes. State is read from variables, and changes after every value has been
 * computed: then nothing else reads the memory of a variable, and it changes in place.
 * @param prefix of the names of all nodes
 * @param sizes names of the open sizes, in the order of the numbers
 */
export function lowerToGraph(
  prefix: string,
  program: ProgramTensors,
  places: ProgramPlaces,
  openSizes: { readonly [name: string]: number } = {},
): ProgramNodes {
  const emitter = new Emitter(prefix, places, openSizes);
  for (const node of neededNodes(tensorsOf(program))) tensorflowLowerings.lower(emitter, node);
  return emitter.finish(program);
}

function tensorsOf(program: ProgramTensors): Tensor[] {
  const { outputs, assign, add, append } = program;
  return [outputs, assign, add, append].flatMap((tensors) => Object.values(tensors));
}

const T = { type: 'float32' } as const;
const INDEX = { type: 'int32' } as const;

/** A change of rows of a variable. */
interface Change {
  readonly variable: GraphVariable;
  readonly start: number | undefined;
  /** Scalar. */
  readonly first: string;
  readonly count: number;
  /** float32 [count, width] */
  readonly value: string;
  /** Whether the value is an input, whose memory the variable must not take over. */
  readonly isInput: boolean;
}

class Emitter implements TensorFlowEmitter {
  readonly #writer: GraphWriter;
  readonly #values = new Map<Tensor, string>();
  readonly #openSizes: OpenSizes;
  readonly #places: ProgramPlaces;
  readonly #numbers: string;
  /** Scalars of the numbers. */
  readonly #sizes = new Map<string, string>();
  readonly #seed: string;
  readonly #starts = new Map<Place, string>();
  readonly #inputs: string[] = [];
  readonly #wholes = new Map<string, string>();
  readonly #known = new Map<string, string>();
  #reads = 0;

  constructor(prefix: string, places: ProgramPlaces, openSizes: { readonly [name: string]: number }) {
    this.#writer = new GraphWriter(prefix);
    this.#places = places;
    this.#openSizes = new OpenSizes(openSizes);
    const [names, open] = [Object.keys(openSizes), openPlaces(places)];
    this.#numbers = this.#writer.placeholder('int32', 'numbers');
    const num = names.length + 1 + open.length;
    const scalars = this.node('Unpack', [this.#numbers], { num, T: INDEX });
    names.forEach((name, index) => this.#sizes.set(name, `${scalars}:${index}`));
    this.#seed = `${scalars}:${names.length}`;
    open.forEach((place, index) => this.#starts.set(place, `${scalars}:${names.length + 1 + index}`));
  }

  value(tensor: Tensor): string {
    const value = this.#values.get(tensor);
    if (value === undefined) throw new Error(`${tensor.node.operation.name} has no value yet`);
    return value;
  }

  set(tensor: Tensor, value: string): void {
    this.#values.set(tensor, value);
  }

  node: TensorFlowEmitter['node'] = (operator, inputs, attributes) => this.#writer.node(operator, inputs, attributes);

  constant(data: HostArray, shape: Shape): string {
    return this.#writer.constant(data, shape);
  }

  leaf(node: Node): string {
    if (node.operation === input) {
      const { type } = node.attributes as TensorType;
      const placeholder = this.#writer.placeholder(type, `input${this.#inputs.length}`);
      this.#inputs.push(placeholder);
      return placeholder;
    }
    const { shape } = node.attributes as ReadState;
    const place = this.#places.reads[this.#reads++]!;
    const { type } = place.variable;
    const found = this.#rows({ ...place, first: this.#first(place) }, elementCount(shape));
    const numbers = type === 'bfloat16' ? this.node('Cast', [found], { SrcT: { type }, DstT: T }) : found;
    return this.#reshape(numbers, shape, type === 'bfloat16' ? 'float32' : type);
  }

  integers(values: readonly number[]): string {
    if (!values.some((value) => this.#openSizes.read(value))) return this.#writer.integers(values);
    return this.#once(`integers ${values.join()}`, () => this.#writer.pack(values.map((value) => this.integer(value))));
  }

  integer(value: number): string {
    const terms = this.#openSizes.read(value);
    if (terms === undefined) return this.#writer.integer(value);
    return this.#once(`integer ${value}`, () => {
      const products = terms.map(({ factor, names }) =>
        [
          ...names.map((name) => this.#sizes.get(name)!),
          ...(factor === 1 && names.length > 0 ? [] : [this.#writer.integer(factor)]),
        ].reduce((a, b) => this.node('Mul', [a, b], { T: INDEX })),
      );
      return products.reduce((a, b) => this.node('AddV2', [a, b], { T: INDEX }));
    });
  }

  /** A single open size is written as -1, the remaining size, so nothing has to compute it. */
  target(shape: Shape): string {
    const isOpen = (size: number) => this.#openSizes.read(size) !== undefined;
    return this.integers(shape.filter(isOpen).length === 1 ? shape.map((size) => (isOpen(size) ? -1 : size)) : shape);
  }

  finish({ outputs, assign, add, append }: ProgramTensors): ProgramNodes {
    const results = Object.values(outputs).map((tensor, index) =>
      this.#writer.node('Identity', [this.value(tensor)], { T: { type: tensor.type } }, `output${index}`),
    );
    const changes = [
      ...this.#changes(Object.values(assign), this.#places.assign, false),
      ...this.#changes(Object.values(add), this.#places.add, true),
    ];
    const appended = Object.values(append).map((tensor, index) => {
      const { variable } = this.#places.append[index]!;
      return { variable, value: this.#reshape(this.value(tensor), [-1, variable.width], 'float32') };
    });
    const all = [...results, ...changes.map(({ value }) => value), ...appended.map(({ value }) => value)];
    const appendRows = this.#writer.placeholder('int32', 'appendRows');
    const ready = this.node('NoOp', all.map(control));
    const changed = [
      ...changes.map((change) => this.#store(change, ready)),
      ...appended.map(({ variable, value }) =>
        this.node('ResourceScatterUpdate', [variable.handle, appendRows, value, control(ready)], {
          dtype: { type: variable.type },
          Tindices: INDEX,
        }),
      ),
    ];
    return {
      nodes: this.#writer.nodes,
      numbers: this.#numbers,
      inputs: this.#inputs,
      appendRows,
      outputs: results,
      done: changed.length === 0 ? undefined : this.#writer.done(changed, 'done'),
    };
  }

  /** What becomes of variables. Changes of adjacent rows are joined. */
  #changes(tensors: readonly Tensor[], places: readonly Place[], isAdded: boolean): Change[] {
    const parts = tensors.map((tensor, index): Change => {
      const place = places[index]!;
      const { variable, start } = place;
      const rows = elementCount(tensor.shape) / variable.width;
      const value = this.#reshape(this.value(tensor), [-1, variable.width], 'float32');
      return { variable, start, first: this.#first(place), count: rows, value, isInput: isGiven(tensor) };
    });
    return joined(parts).map((adjacent) => {
      const [{ variable, start, first }] = adjacent as [Change];
      const count = adjacent.reduce((sum, part) => sum + part.count, 0);
      const values = adjacent.map(({ value }) => value);
      const value =
        values.length === 1
          ? values[0]!
          : this.node('ConcatV2', [...values, this.integer(0)], { N: values.length, T, Tidx: INDEX });
      const before = () => this.#rows({ variable, start, first }, count * variable.width);
      return {
        variable,
        start,
        first,
        count,
        isInput: adjacent.length === 1 && !isAdded && adjacent[0]!.isInput,
        value: isAdded ? this.node('AddV2', [before(), value], { T }) : this.#stored(variable, value, first, count),
      };
    });
  }

  /** A value in the type of its variable. */
  #stored({ type, width }: GraphVariable, value: string, first: string, count: number): string {
    if (type !== 'bfloat16') return value;
    return roundAtRandom(this, value, { first, count: this.integer(count * width), seed: this.#seed });
  }

  #store({ variable, start, first, count, value, isInput }: Change, ready: string): string {
    const { handle, type, rows } = variable;
    if (start === 0 && count === rows && !isInput) {
      return this.node('AssignVariableOp', [handle, value, control(ready)], { dtype: { type } });
    }
    const end = this.node('AddV2', [first, this.integer(count)], { T: INDEX });
    const range = [this.#writer.pack([first]), this.#writer.pack([end]), this.integers([1])];
    return this.node('ResourceStridedSliceAssign', [handle, ...range, value, control(ready)], {
      T: { type },
      Index: INDEX,
    });
  }

  #first(place: Place): string {
    return place.start === undefined ? this.#starts.get(place)! : this.integer(place.start);
  }

  /** `count` numbers of a variable, [count / width, width]. */
  #rows({ variable, start, first }: Pick<Change, 'variable' | 'start' | 'first'>, count: number): string {
    const { handle, type, width, rows } = variable;
    const whole = this.#wholes.get(handle) ?? this.node('ReadVariableOp', [handle], { dtype: { type } });
    this.#wholes.set(handle, whole);
    if (start === 0 && count / width === rows) return whole;
    const begin = this.#writer.pack([first, this.integer(0)]);
    return this.node('Slice', [whole, begin, this.integers([count / width, width])], { T: { type }, Index: INDEX });
  }

  #reshape(value: string, shape: Shape, type: TensorFlowType): string {
    return this.node('Reshape', [value, this.target(shape)], { T: { type }, Tshape: INDEX });
  }

  #once(key: string, make: () => string): string {
    const known = this.#known.get(key) ?? make();
    this.#known.set(key, known);
    return known;
  }
}

/** Whether a tensor is an input, in whatever shape. */
function isGiven({ node }: Tensor): boolean {
  return node.operation === input || (node.operation === reshape && isGiven(node.inputs[0]!));
}

/** Changes of adjacent rows of a variable, in their order. */
function joined(parts: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    const [before] = last?.slice(-1) ?? [];
    const follows =
      before !== undefined &&
      before.variable.handle === part.variable.handle &&
      before.start !== undefined &&
      before.start + before.count === part.start;
    if (follows) last!.push(part);
    else groups.push([part]);
  }
  return groups;
}
