import { OpenSizes } from '../../lowering/open-sizes.js';
import {
  leavesOf,
  lowerToGraph,
  openPlaces,
  type ProgramLeaves,
  type ProgramNodes,
  type ProgramTensors,
} from '../../lowering/tensorflow/lower-program.js';
import { describeType, elementCount } from '../../operations/shapes.js';
import { holdsType, type HostArray, type Shape, type TensorType } from '../../operations/tensor.js';
import type { Executable, Executor, HostArrays, Program, RunOptions } from '../executor.js';
import type { CacheShape, StateView } from '../state.js';
import type { BindingType, TensorFlowBinding } from './binding.js';
import { TensorFlowSession, type Feed } from './session.js';
import { VariableCache } from './variable-cache.js';
import { VariableConstants, VariableState } from './variable-state.js';
import type { Variable } from './variable.js';
import type { Located, VariableView } from './view.js';

/**
 * TensorFlow: every program is a part of one graph, whose variables hold the state. One run is one call, and only its
 * inputs and outputs move.
 */
export class TensorFlowExecutor implements Executor {
  readonly engine = 'tensorflow';
  readonly version: string;
  readonly threads: number;
  readonly rowRules = { leastRows: 1, mostFewRows: 16, widthMultiple: 8, capacityMultiple: 32 };
  readonly mostFixedBytes = 0;
  readonly vectorLength = Infinity;
  readonly #session: TensorFlowSession;
  #count = 0;

  constructor(binding: TensorFlowBinding, threads: number) {
    this.#session = new TensorFlowSession(binding);
    this.version = binding.TF_Version;
    this.threads = threads;
  }

  allocate(shapes: ReadonlyMap<string, Shape>, data?: Float32Array): VariableState<'float32'> {
    return new VariableState(this.#session, this.#name('state'), shapes, 'float32', data);
  }

  allocateRounded(shapes: ReadonlyMap<string, Shape>): VariableState<'bfloat16'> {
    return new VariableState(this.#session, this.#name('state'), shapes, 'bfloat16');
  }

  allocateConstants(types: ReadonlyMap<string, TensorType>): VariableConstants {
    return new VariableConstants(this.#session, this.#name('constants'), types);
  }

  allocateCache(shape: CacheShape): VariableCache {
    return new VariableCache(this.#session, this.#name('cache'), shape);
  }

  compile(program: Program): Promise<Executable> {
    return Promise.resolve(new TensorFlowExecutable(this.#session, this.#name('program'), program));
  }

  dispose(): Promise<void> {
    this.#session.dispose();
    return Promise.resolve();
  }

  #name(kind: string): string {
    return `${kind}${this.#count++}`;
  }
}

/** A program whose state is in certain variables. */
interface Instance extends ProgramNodes {
  readonly variables: readonly Variable[];
}

class TensorFlowExecutable implements Executable {
  readonly inputs: ReadonlyMap<string, TensorType>;
  readonly outputs: ReadonlyMap<string, TensorType>;
  readonly #session: TensorFlowSession;
  readonly #name: string;
  readonly #tensors: ProgramTensors;
  readonly #openSizes: { readonly [name: string]: number };
  readonly #open: OpenSizes;
  readonly #fixed: StateView | undefined;
  readonly #leaves: ProgramLeaves;
  readonly #shapes: readonly ((sizes: { readonly [name: string]: number }) => Shape)[];
  readonly #readShapes: readonly ((sizes: { readonly [name: string]: number }) => Shape)[];
  readonly #instances = new Map<string, Instance>();

  constructor(session: TensorFlowSession, name: string, program: Program) {
    const { outputs, assign = {}, add = {}, append = {}, fixed, openSizes = {} } = program;
    this.#session = session;
    this.#name = name;
    this.#tensors = { outputs, assign, add, append };
    this.#openSizes = openSizes;
    this.#open = new OpenSizes(openSizes);
    this.#fixed = fixed;
    this.#leaves = leavesOf(this.#tensors);
    this.inputs = this.#leaves.inputs;
    this.outputs = new Map(Object.entries(outputs).map(([key, { shape, type }]) => [key, { shape, type }]));
    this.#shapes = [...this.inputs.values()].map(({ shape }) => this.#open.resolver(shape));
    this.#readShapes = this.#leaves.reads.map(({ shape }) => this.#open.resolver(shape));
  }

  run(inputs: HostArrays, options: RunOptions = {}): Promise<{ readonly [name: string]: HostArray }> {
    return Promise.resolve().then(() => this.#run(inputs, options));
  }

  dispose(): Promise<void> {
    for (const instance of this.#instances.values()) this.#session.removePart(instance);
    this.#instances.clear();
    return Promise.resolve();
  }

  #run(inputs: HostArrays, options: RunOptions): { readonly [name: string]: HostArray } {
    const { sizes = {}, state = [], appendTo, roundingSeed = 0 } = options;
    const views = (this.#fixed ? [this.#fixed, ...state] : state) as readonly VariableView[];
    const cache = appendTo?.cache as VariableCache | undefined;
    const places = {
      reads: this.#leaves.reads.map((read, index) => {
        const { names, type } = read;
        const view = views.find((each) => each.has(names[0]!));
        if (view === undefined) throw new Error(`state ${names.join('+')} is missing`);
        const shape = this.#readShapes[index]!(sizes);
        const count = view.count(names);
        if (count !== elementCount(shape)) {
          throw new Error(
            `state ${names.join('+')} must be ${describeType({ shape, type })}, not a Float32Array of ${count}`,
          );
        }
        return view.locate(names);
      }),
      assign: Object.keys(this.#tensors.assign).map((name) => changed(views, name)),
      add: Object.keys(this.#tensors.add).map((name) => changed(views, name)),
      append: Object.keys(this.#tensors.append).map((name) => {
        if (cache === undefined) throw new Error(`the run does not say where ${name} goes`);
        return cache.target(name);
      }),
    };
    const all = Object.values(places).flat();
    const key = all.map(({ variable, start }) => `${variable.name} ${start}`).join();
    const instance = this.#instances.get(key) ?? this.#instantiate(key, places, all);
    const open = (openPlaces(places) as readonly Located[]).map(({ row }) => row);
    const numbers = Int32Array.from([
      ...Object.keys(this.#openSizes).map((name) => sizes[name]!),
      roundingSeed,
      ...open,
    ]);
    const feeds: Feed[] = [
      { name: instance.numbers, type: 'int32', shape: [numbers.length], data: numbers },
      ...[...this.inputs].map(([name, { type }], index) =>
        feedOf(name, type as BindingType, this.#shapes[index]!(sizes), inputs[name], instance.inputs[index]!),
      ),
    ];
    if (cache !== undefined && places.append.length > 0) {
      const [tensor] = Object.values(this.#tensors.append);
      const rows = cache.rowsFor(appendTo!.rows, this.#open.resolve(tensor!.shape, sizes)[2]!);
      feeds.push({ name: instance.appendRows, type: 'int32', shape: [rows.length], data: rows });
    }
    const { outputs, done } = instance;
    const results = this.#session.run(instance, instance.variables, feeds, done ? [...outputs, done] : outputs);
    return Object.fromEntries([...this.outputs.keys()].map((name, index) => [name, results[index]!]));
  }

  #instantiate(key: string, places: Parameters<typeof lowerToGraph>[2], all: readonly Located[]): Instance {
    const name = `${this.#name}/${this.#instances.size}`;
    const nodes = lowerToGraph(name, this.#tensors, places, this.#openSizes);
    const instance = { ...nodes, variables: [...new Set(all.map(({ variable }) => variable))] };
    this.#instances.set(key, instance);
    this.#session.addPart(instance);
    return instance;
  }
}

/** Where state is that a program changes. */
function changed(views: readonly VariableView[], name: string): Located {
  const view = views.find((each) => each.has(name));
  if (view === undefined) throw new Error(`state ${name} is missing`);
  return view.locate([name]);
}

function feedOf(name: string, type: BindingType, shape: Shape, data: HostArray | undefined, placeholder: string): Feed {
  if (data === undefined) throw new Error(`input ${name} is missing`);
  if (data.length !== elementCount(shape) || !holdsType(data, type)) {
    const found = `a ${data.constructor.name} of ${data.length}`;
    throw new Error(`input ${name} must be ${describeType({ shape, type })}, not ${found}`);
  }
  return { name: placeholder, type, shape, data: data as Feed['data'] };
}
