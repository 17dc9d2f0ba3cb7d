import { OpenSizes } from '../../lowering/open-sizes.js';
import {
  leavesOf,
  openPlaces,
  type ProgramLeaves,
  type ProgramPlaces,
  type ProgramTensors,
} from '../../lowering/places.js';
import { describeType, elementCount } from '../../operations/shapes.js';
import { holdsType, type HostArray, type Shape, type TensorType } from '../../operations/tensor.js';
import type { Executable, HostArrays, Program, RunOptions } from '../executor.js';
import type { StateView } from '../state.js';
import type { VariableCache } from './variable-cache.js';
import type { Variable } from './variable.js';
import type { Located, VariableView } from './view.js';

type Sizes = NonNullable<RunOptions['sizes']>;

/** One input of a run, with its checked array. */
interface GivenInput extends TensorType {
  readonly name: string;
  readonly data: HostArray;
}

/** What a run computes with. */
export interface BoundRun {
  /** In the order of `ProgramLeaves.inputs`. */
  readonly inputs: readonly GivenInput[];
  /** The open sizes in the order of the program, the seed of rounding, and the rows of `openPlaces`. */
  readonly numbers: Int32Array;
  /** Rows of the cache to which new keys and values go, in the order of their arrays. */
  readonly appendRows: Int32Array | undefined;
}

/**
 * A program on an engine that keeps variables. In which variables its state is shows only in a run. So the program is
 * compiled for each choice of variables, of which there are few: parameters and their frozen copies, for example.
 */
export abstract class BoundExecutable<Instance> implements Executable {
  readonly inputs: ReadonlyMap<string, TensorType>;
  readonly outputs: ReadonlyMap<string, TensorType>;
  protected readonly tensors: ProgramTensors;
  protected readonly openSizes: { readonly [name: string]: number };
  readonly #open: OpenSizes;
  readonly #fixed: StateView | undefined;
  readonly #leaves: ProgramLeaves;
  readonly #inputShapes: readonly ((sizes: Sizes) => Shape)[];
  readonly #readShapes: readonly ((sizes: Sizes) => Shape)[];
  readonly #instances = new Map<string, Instance>();

  constructor({ outputs, assign = {}, add = {}, append = {}, fixed, openSizes = {} }: Program) {
    this.tensors = { outputs, assign, add, append };
    this.openSizes = openSizes;
    this.#open = new OpenSizes(openSizes);
    this.#fixed = fixed;
    this.#leaves = leavesOf(this.tensors);
    this.inputs = this.#leaves.inputs;
    this.outputs = new Map(Object.entries(outputs).map(([key, { shape, type }]) => [key, { shape, type }]));
    this.#inputShapes = [...this.inputs.values()].map(({ shape }) => this.#open.resolver(shape));
    this.#readShapes = this.#leaves.reads.map(({ shape }) => this.#open.resolver(shape));
  }

  async run(inputs: HostArrays, options: RunOptions = {}): Promise<{ readonly [name: string]: HostArray }> {
    const { sizes = {}, roundingSeed = 0, appendTo } = options;
    const places = this.#locate(options);
    const all: readonly Located[] = Object.values(places).flat();
    const key = all.map(({ variable, start, isAll }) => `${variable.name} ${isAll ? 'all' : start}`).join();
    const instance =
      this.#instances.get(key) ??
      (await this.instantiate(this.#instances.size, places, [...new Set(all.map(({ variable }) => variable))]));
    this.#instances.set(key, instance);
    const rows = openPlaces(places).map(({ row }) => row);
    const [appended] = Object.values(this.tensors.append);
    return this.compute(instance, {
      inputs: [...this.inputs].map(([name, { type }], index) =>
        given(name, { type, shape: this.#inputShapes[index]!(sizes) }, inputs[name]),
      ),
      numbers: Int32Array.from([...Object.keys(this.openSizes).map((name) => sizes[name]!), roundingSeed, ...rows]),
      appendRows:
        appended &&
        (appendTo!.cache as VariableCache).rowsFor(appendTo!.rows, this.#open.resolve(appended.shape, sizes)[2]!),
    });
  }

  async dispose(): Promise<void> {
    for (const instance of this.#instances.values()) await this.free(instance);
    this.#instances.clear();
  }

  /** @param number how many there are already */
  protected abstract instantiate(
    number: number,
    places: ProgramPlaces<Located>,
    variables: readonly Variable[],
  ): Promise<Instance>;
  protected abstract compute(instance: Instance, run: BoundRun): Promise<{ readonly [name: string]: HostArray }>;
  protected abstract free(instance: Instance): Promise<void>;

  /** Throws if state is missing or has another size. */
  #locate({ state = [], appendTo, sizes = {} }: RunOptions): ProgramPlaces<Located> {
    // Executors with variables make such views only.
    const views = (this.#fixed ? [this.#fixed, ...state] : state) as readonly VariableView[];
    const owner = (names: readonly string[]): VariableView => {
      const view = views.find((each) => each.has(names[0]!));
      if (view === undefined) throw new Error(`state ${names.join('+')} is missing`);
      return view;
    };
    const { assign, add, append } = this.tensors;
    return {
      reads: this.#leaves.reads.map(({ names, type }, index) => {
        const view = owner(names);
        const shape = this.#readShapes[index]!(sizes);
        const count = view.count(names);
        if (count !== elementCount(shape)) {
          const wanted = describeType({ shape, type });
          throw new Error(`state ${names.join('+')} must be ${wanted}, not a Float32Array of ${count}`);
        }
        return view.locate(names);
      }),
      assign: Object.keys(assign).map((name) => owner([name]).locate([name])),
      add: Object.keys(add).map((name) => owner([name]).locate([name])),
      append: Object.keys(append).map((name) => {
        if (appendTo === undefined) throw new Error(`the run does not say where ${name} goes`);
        return (appendTo.cache as VariableCache).target(name);
      }),
    };
  }
}

function given(name: string, type: TensorType, data: HostArray | undefined): GivenInput {
  if (data === undefined) throw new Error(`input ${name} is missing`);
  if (data.length !== elementCount(type.shape) || !holdsType(data, type.type)) {
    const found = `a ${data.constructor.name} of ${data.length}`;
    throw new Error(`input ${name} must be ${describeType(type)}, not ${found}`);
  }
  return { name, ...type, data };
}
