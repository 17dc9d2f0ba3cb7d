import { describeType, elementCount, totalElements } from '../../operations/shapes.js';
import { holdsType, type ElementType, type HostArray, type Shape, type TensorType } from '../../operations/tensor.js';
import type { Constants, StateArrays, StateType, StateView } from '../state.js';
import type { VariableStore } from './variable-store.js';
import type { VariableView } from './view.js';
import { Variable } from './variable.js';

/** Named arrays, one after the other in one variable. */
class Arrays {
  readonly variable: Variable;
  readonly #ranges = new Map<string, { readonly start: number; readonly end: number }>();

  constructor(name: string, type: ElementType | StateType, shapes: ReadonlyMap<string, Shape>) {
    let start = 0;
    for (const [array, shape] of shapes) {
      const end = start + elementCount(shape);
      this.#ranges.set(array, { start, end });
      start = end;
    }
    this.variable = new Variable(name, type, 1, start, true);
  }

  has(name: string): boolean {
    return this.#ranges.has(name);
  }

  /** Throws if the arrays are not adjacent. */
  range(names: readonly string[]): { readonly start: number; readonly count: number } {
    const ranges = names.map((name) => this.#range(name));
    const { start } = ranges[0]!;
    let end = start;
    for (const [index, next] of ranges.entries()) {
      if (next.start !== end) throw new Error(`${names[index]} does not follow ${names[index - 1]} in its state`);
      end = next.end;
    }
    return { start, count: end - start };
  }

  /** Where data belongs. Throws if it does not fit. */
  place(name: string, length: number, start?: number): number {
    const range = this.range([name]);
    const fits = start === undefined ? length === range.count : start + length <= range.count;
    if (!fits) {
      const where = start === undefined ? '' : ` from ${start} on`;
      throw new Error(`${name} has ${range.count} numbers, not ${length}${where}`);
    }
    return range.start + (start ?? 0);
  }

  #range(name: string): { readonly start: number; readonly end: number } {
    const range = this.#ranges.get(name);
    if (range === undefined) throw new Error(`the state has no ${name}`);
    return range;
  }
}

/** State in a variable. */
export class VariableState<Type extends StateType> implements StateArrays, VariableView {
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly type: Type;
  readonly #arrays: Arrays;
  readonly #store: VariableStore;

  constructor(store: VariableStore, name: string, shapes: ReadonlyMap<string, Shape>, type: Type, data?: Float32Array) {
    this.shapes = shapes;
    this.type = type;
    this.#arrays = new Arrays(name, type, shapes);
    this.#store = store;
    store.addVariables([this.#arrays.variable]);
    if (data !== undefined) this.#check(data);
    if (data !== undefined) this.#arrays.variable.waiting = data;
  }

  has(name: string): boolean {
    return this.#arrays.has(name);
  }

  locate(names: readonly string[]) {
    const { start } = this.#arrays.range(names);
    return { variable: this.#arrays.variable, start, row: start };
  }

  count(names: readonly string[]): number {
    return this.#arrays.range(names).count;
  }

  read(name: string, start = 0, count = this.count([name]) - start): Promise<Float32Array> {
    return this.#read(this.#arrays.range([name]).start + start, count);
  }

  write(name: string, data: Float32Array, start?: number): Promise<void> {
    return this.#store.write(this.#arrays.variable, data, this.#arrays.place(name, data.length, start));
  }

  part(name: string, as: string, start: number, count: number): VariableView {
    const row = this.#arrays.range([name]).start + start;
    return {
      has: (asked) => asked === as,
      locate: () => ({ variable: this.#arrays.variable, start: row, row, isAll: count === this.#arrays.variable.rows }),
      count: () => count,
    };
  }

  readAll(): Promise<Float32Array> {
    return this.#read(0, totalElements(this.shapes));
  }

  writeAll(data: Float32Array): Promise<void> {
    this.#check(data);
    return this.#store.write(this.#arrays.variable, data, 0);
  }

  addAll(data: Float32Array): Promise<void> {
    this.#check(data);
    return this.#store.add(this.#arrays.variable, data);
  }

  clear(): Promise<void> {
    this.#store.clear(this.#arrays.variable);
    return Promise.resolve();
  }

  renamed(rename: (name: string) => string): StateView {
    const view: VariableView = {
      has: (name) => this.has(rename(name)),
      // Many renamings share a graph, so where the arrays are is said in each run.
      locate: (names) => ({ ...this.locate(names.map(rename)), start: undefined }),
      count: (names) => this.count(names.map(rename)),
    };
    return view;
  }

  dispose(): Promise<void> {
    this.#store.removeVariables([this.#arrays.variable]);
    return Promise.resolve();
  }

  #read(start: number, count: number): Promise<Float32Array> {
    return this.#store.read(this.#arrays.variable, start, count) as Promise<Float32Array>;
  }

  #check({ length }: Float32Array): void {
    const total = totalElements(this.shapes);
    if (length !== total) throw new Error(`the arrays have ${total} numbers, not ${length}`);
  }
}

/** Constants in one variable for each type. */
export class VariableConstants implements Constants, VariableView {
  readonly types: ReadonlyMap<string, TensorType>;
  readonly #byType = new Map<ElementType, Arrays>();
  readonly #store: VariableStore;

  constructor(store: VariableStore, name: string, types: ReadonlyMap<string, TensorType>) {
    this.types = types;
    this.#store = store;
    for (const type of new Set([...types.values()].map((each) => each.type))) {
      const shapes = [...types].flatMap(([array, each]) => (each.type === type ? [[array, each.shape] as const] : []));
      this.#byType.set(type, new Arrays(`${name}/${type}`, type, new Map(shapes)));
    }
    store.addVariables([...this.#byType.values()].map(({ variable }) => variable));
  }

  has(name: string): boolean {
    return this.types.has(name);
  }

  locate(names: readonly string[]) {
    const arrays = this.#of(names[0]!);
    const { start } = arrays.range(names);
    return { variable: arrays.variable, start, row: start };
  }

  count(names: readonly string[]): number {
    return this.#of(names[0]!).range(names).count;
  }

  write(name: string, data: HostArray, start: number): Promise<void> {
    const type = this.types.get(name);
    if (type === undefined) throw new Error(`the constants have no ${name}`);
    if (!holdsType(data, type.type) || start + data.length > elementCount(type.shape)) {
      throw new Error(`${data.length} numbers of a ${data.constructor.name} do not fit ${name}, ${describeType(type)}`);
    }
    const arrays = this.#of(name);
    return this.#store.write(arrays.variable, data, arrays.place(name, data.length, start));
  }

  #of(name: string): Arrays {
    const arrays = this.#byType.get(this.types.get(name)?.type ?? 'float32');
    if (arrays === undefined) throw new Error(`the constants have no ${name}`);
    return arrays;
  }
}
