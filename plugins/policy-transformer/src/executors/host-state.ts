import { totalElements, viewsOf } from '../operations/shapes.js';
import type { HostArray, Shape } from '../operations/tensor.js';
import type { State, StateView } from './state.js';

/** State in the memory of the process, which executors on the CPU read and change in place. */
export interface HostView extends StateView {
  /** The memory of an array, or of adjacent arrays that are read as one. `undefined` if it has no such array. */
  view(names: readonly string[]): HostArray | undefined;
  /** Stores what a run assigns to an array. Absent if views are the memory itself, not copies of its numbers. */
  readonly assign?: (name: string, data: Float32Array, roundingSeed: number) => void;
  /** Adds to an array. Absent if what is added goes to the view. */
  readonly add?: (name: string, data: Float32Array) => void;
  /**
   * The memory of an array that counts as zeros: `add` of this memory takes its numbers as the array. `undefined` if the
   * array may have others.
   */
  readonly emptyPlace?: (name: string) => Float32Array | undefined;
}

/** Arrays one after the other in one block of memory. */
export class HostState implements State, HostView {
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly type = 'float32';
  readonly #data: Float32Array;
  readonly #views: Map<string, Float32Array>;
  /** Arrays that count as zeros and may still hold other numbers: what is added to them first replaces these. */
  readonly #cleared = new Set<string>();

  /** @param data all arrays, in the order of `shapes`; it is used, not copied. Default: zeros. */
  constructor(shapes: ReadonlyMap<string, Shape>, data?: Float32Array) {
    this.shapes = shapes;
    this.#data = data ?? new Float32Array(totalElements(shapes));
    this.#views = viewsOf(shapes, this.#data);
  }

  has(name: string): boolean {
    return this.#views.has(name);
  }

  view(names: readonly string[]): Float32Array | undefined {
    this.#settle();
    const known = this.#views.get(names.join('+'));
    if (known !== undefined) return known;
    const joint = jointView(names, this.#views);
    if (joint !== undefined) this.#views.set(names.join('+'), joint);
    return joint;
  }

  read(name: string, start = 0, count?: number): Promise<Float32Array> {
    return Promise.resolve(this.#of(name).slice(start, count === undefined ? undefined : start + count));
  }

  write(name: string, data: Float32Array, start?: number): Promise<void> {
    placeFor(name, data, this.#of(name), start).set(data);
    return Promise.resolve();
  }

  readAll(): Promise<Float32Array> {
    this.#settle();
    return Promise.resolve(this.#data.slice());
  }

  writeAll(data: Float32Array): Promise<void> {
    placeFor('the state', data, this.#data).set(data);
    this.#cleared.clear();
    return Promise.resolve();
  }

  addAll(data: Float32Array): Promise<void> {
    this.#settle();
    addTo(this.#data, data);
    return Promise.resolve();
  }

  clear(): Promise<void> {
    for (const name of this.shapes.keys()) this.#cleared.add(name);
    return Promise.resolve();
  }

  add(name: string, data: Float32Array): void {
    const array = placeFor(name, data, this.#named(name));
    if (!this.#cleared.delete(name)) addTo(array, data);
    else if (data !== array) array.set(data);
  }

  emptyPlace(name: string): Float32Array | undefined {
    return this.#cleared.has(name) ? this.#named(name) : undefined;
  }

  part(name: string, as: string, start: number, count: number): HostView {
    const first = this.#of(name);
    const offset = (first.byteOffset - this.#data.byteOffset) / first.BYTES_PER_ELEMENT + start;
    return new HostState(new Map([[as, [count]]]), this.#data.subarray(offset, offset + count));
  }

  /** The memory is freed when nothing refers to it any more. */
  dispose(): Promise<void> {
    return Promise.resolve();
  }

  renamed(rename: (name: string) => string): HostView {
    return {
      has: (name) => this.has(rename(name)),
      view: (names) => this.view(names.map(rename)),
      add: (name, data) => this.add(rename(name), data),
      emptyPlace: (name) => this.emptyPlace(rename(name)),
    };
  }

  #of(name: string): Float32Array {
    this.#settle();
    return this.#named(name);
  }

  /** Makes arrays zeros that only count as such. */
  #settle(): void {
    if (this.#cleared.size === 0) return;
    for (const name of this.#cleared) this.#named(name).fill(0);
    this.#cleared.clear();
  }

  #named(name: string): Float32Array {
    const view = this.#views.get(name);
    if (view === undefined) throw new Error(`the state has no ${name}`);
    return view;
  }
}

/** The memory of adjacent arrays as one array. Throws if they are not adjacent. */
export function jointView<Kind extends HostArray | Uint16Array>(
  names: readonly string[],
  views: ReadonlyMap<string, Kind>,
): Kind | undefined {
  const [first, ...others] = names.map((name) => views.get(name));
  if (first === undefined) return undefined;
  let end = first.byteOffset + first.byteLength;
  for (const [index, other] of others.entries()) {
    if (other?.byteOffset !== end) throw new Error(`${names[index + 1]} does not follow ${names[index]} in its state`);
    end += other.byteLength;
  }
  const kind = first.constructor as new (buffer: ArrayBufferLike, offset: number, length: number) => Kind;
  return new kind(first.buffer, first.byteOffset, (end - first.byteOffset) / first.BYTES_PER_ELEMENT);
}

export function addTo(sum: Float32Array, term: Float32Array): void {
  for (let index = 0; index < sum.length; index += 1) sum[index]! += term[index]!;
}

/** Where data belongs: all of an array, or its numbers from `start` on. Throws if it has another length, or does not fit. */
export function placeFor<Kind extends Float32Array | Uint16Array>(
  name: string,
  data: Float32Array,
  array: Kind,
  start?: number,
): Kind {
  const place = start === undefined ? array : array.subarray(start, start + data.length);
  if (place.length !== data.length) {
    const where = start === undefined ? '' : ` from ${start} on`;
    throw new Error(`${name} has ${array.length} numbers, not ${data.length}${where}`);
  }
  return place as Kind;
}
