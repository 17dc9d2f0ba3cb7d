import { neededNodes } from '../../graph/needed-nodes.js';
import { reshape } from '../../operations/layout.js';
import { input } from '../../operations/leaves.js';
import { elementCount } from '../../operations/shapes.js';
import type { HostArray, Node, Shape, Tensor, TensorType } from '../../operations/tensor.js';
import { OpenSizes } from '../open-sizes.js';
import {
  changesOf,
  isWhole,
  openPlaces,
  tensorsOf,
  type Change,
  type Place,
  type PlacedVariable,
  type ProgramPlaces,
  type ProgramTensors,
} from '../places.js';
import { GraphWriter, control } from './graph-writer.js';
import type { TensorFlowNode, TensorFlowType } from './graph-def.js';
import { tensorflowLowerings } from './lowerings.js';
import { roundAtRandom } from './round-at-random.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';

/** Part of the name of the node that is a variable's handle. */
export const HANDLE = 'handle';
export const handleOf = ({ name }: Pick<PlacedVariable, 'name'>): string => `${name}/${HANDLE}`;
/** The same for the copy of a float32 variable in bfloat16. */
export const HALF_HANDLE = 'half';
const halfHandleOf = ({ name }: PlacedVariable): string => `${name}/${HALF_HANDLE}`;

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
  /** Names of the variables whose copies in bfloat16 are read. */
  readonly halves: ReadonlySet<string>;
}

export interface LoweringOptions {
  /** See `Program`; the numbers of a run give sizes in this order. */
  readonly openSizes: { readonly [name: string]: number };
  /** The type in which products are computed that may be coarse. */
  readonly coarseType: 'float32' | 'bfloat16';
}

/**
 * Writes what a program needs as TensorFlow nodes. State is read from variables, and changes after every value has been
 * computed: then nothing else reads the memory of a variable, and it changes in place.
 * @param prefix of the names of all nodes
 */
export function lowerToGraph(
  prefix: string,
  program: ProgramTensors,
  places: ProgramPlaces,
  options: LoweringOptions,
): ProgramNodes {
  const emitter = new Emitter(prefix, places, options);
  for (const node of neededNodes(tensorsOf(program))) tensorflowLowerings.lower(emitter, node);
  return emitter.finish(program);
}

const T = { type: 'float32' } as const;
const HALF = { type: 'bfloat16' } as const;
const INDEX = { type: 'int32' } as const;

/** New numbers of rows of a variable. */
interface Stored {
  readonly change: Change;
  /** [rows, width] of the variable's type. */
  readonly value: string;
}

class Emitter implements TensorFlowEmitter {
  readonly coarseType: LoweringOptions['coarseType'];
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
  readonly #known = new Map<string, string>();
  /** Where leaves that are state are. */
  readonly #leafPlaces = new Map<Node, Place>();
  readonly #halves = new Set<string>();
  #reads = 0;

  constructor(prefix: string, places: ProgramPlaces, { openSizes, coarseType }: LoweringOptions) {
    this.coarseType = coarseType;
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

  half(tensor: Tensor): string {
    const place = this.#leafPlaces.get(tensor.node);
    if (place?.variable.type !== 'float32') {
      const value = this.value(tensor);
      return this.#once(`half ${value}`, () => this.node('Cast', [value], { SrcT: T, DstT: HALF }));
    }
    this.#halves.add(place.variable.name);
    const rows = this.#rows(place, elementCount(tensor.shape), HALF.type);
    return this.#reshape(rows, tensor.shape, HALF.type);
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
    const { shape } = node.attributes as TensorType;
    const place = this.#places.reads[this.#reads++]!;
    this.#leafPlaces.set(node, place);
    const { type } = place.variable;
    const found = this.#rows(place, elementCount(shape));
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
    const stored = [
      ...changesOf(Object.values(assign), this.#places.assign).map((change) => this.#assigned(change)),
      ...changesOf(Object.values(add), this.#places.add).map((change) => this.#added(change)),
    ];
    const appended = Object.values(append).map((tensor, index) => {
      const { variable } = this.#places.append[index]!;
      return { variable, value: this.#reshape(this.value(tensor), [-1, variable.width], 'float32') };
    });
    const all = [...results, ...stored.map(({ value }) => value), ...appended.map(({ value }) => value)];
    const appendRows = this.#writer.placeholder('int32', 'appendRows');
    const ready = this.node('NoOp', all.map(control));
    // `InplaceUpdate` writes into the memory of what it is given, here the variable's own. A cache shares its memory with
    // no other variable. `ResourceScatterUpdate` would make every later read of the variable a copy.
    const changed = [
      ...stored.map((each) => this.#store(each, ready)),
      ...appended.map(({ variable, value }) =>
        this.node('InplaceUpdate', [this.#read(handleOf(variable), variable.type), appendRows, value, control(ready)], {
          T: { type: variable.type },
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
      halves: this.#halves,
    };
  }

  #assigned(change: Change): Stored {
    const { place, rows } = change;
    const { type, width } = place.variable;
    const value = this.#joined(change);
    if (type !== 'bfloat16') return { change, value };
    const scalars = { first: this.#first(place), count: this.integer(rows * width), seed: this.#seed };
    return { change, value: roundAtRandom(this, value, scalars) };
  }

  #added(change: Change): Stored {
    const before = this.#rows(change.place, change.rows * change.place.variable.width);
    return { change, value: this.node('AddV2', [before, this.#joined(change)], { T }) };
  }

  /** The tensors of a change as one, float32 [rows, width]. */
  #joined({ place, tensors }: Change): string {
    const parts = tensors.map((tensor) => this.#reshape(this.value(tensor), [-1, place.variable.width], 'float32'));
    if (parts.length === 1) return parts[0]!;
    return this.node('ConcatV2', [...parts, this.integer(0)], { N: parts.length, T, Tidx: INDEX });
  }

  #store({ change, value }: Stored, ready: string): string {
    const { place, rows, tensors } = change;
    const { type } = place.variable;
    const handle = handleOf(place.variable);
    // A variable must not take over the memory of an input.
    if (isWhole(change) && !tensors.some(isGiven)) {
      return this.node('AssignVariableOp', [handle, value, control(ready)], { dtype: { type } });
    }
    const first = this.#first(place);
    const end = this.node('AddV2', [first, this.integer(rows)], { T: INDEX });
    const range = [this.#writer.pack([first]), this.#writer.pack([end]), this.integers([1])];
    return this.node('ResourceStridedSliceAssign', [handle, ...range, value, control(ready)], {
      T: { type },
      Index: INDEX,
    });
  }

  #first(place: Place): string {
    return place.start === undefined ? this.#starts.get(place)! : this.integer(place.start);
  }

  /**
   * `count` numbers of a variable, [count / width, width].
   * @param type bfloat16 reads the copy of a float32 variable
   */
  #rows(place: Place, count: number, type = place.variable.type): string {
    const { variable } = place;
    const { width } = variable;
    const handle = type === variable.type ? handleOf(variable) : halfHandleOf(variable);
    const whole = this.#read(handle, type);
    const rows = count / width;
    if (isWhole({ place, rows })) return whole;
    const slice = (of: string, begin: string, size: string) =>
      this.node('Slice', [of, begin, size], { T: { type }, Index: INDEX });
    const first = this.#first(place);
    if (width > 1) return slice(whole, this.#writer.pack([first, this.integer(0)]), this.integers([rows, width]));
    // A part of a flat tensor shares its memory if both its ends are aligned (`SliceOp` in
    // tensorflow/core/kernels/slice_op.cc), which those of most weights are. Of [rows, 1] it is always copied.
    const flat = this.#once(`flat ${whole}`, () => this.#reshape(whole, [-1], type));
    return this.#reshape(slice(flat, this.#writer.pack([first]), this.integers([rows])), [rows, 1], type);
  }

  #read(handle: string, type: TensorFlowType): string {
    return this.#once(`read ${handle}`, () => this.node('ReadVariableOp', [handle], { dtype: { type } }));
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
