import type { Append, CacheShape, CacheState } from '../state.js';
import type { VariableStore } from './variable-store.js';
import type { Located, VariableView } from './view.js';
import { Variable } from './variable.js';

/**
 * The cache in variables, one for the keys and one for the values of each layer: [slots * keyValueHeads * capacity,
 * headWidth], and one row to which goes what is not kept.
 */
export class VariableCache implements CacheState {
  capacity = 0;
  slots = 0;
  readonly #shape: CacheShape;
  readonly #store: VariableStore;
  readonly #name: string;
  readonly #variables = new Map<string, Variable>();
  /** Rows of each variable, without the last one. */
  #rows = 0;

  constructor(store: VariableStore, name: string, shape: CacheShape) {
    this.#shape = shape;
    this.#store = store;
    this.#name = name;
    for (let layer = 0; layer < shape.layers; layer += 1) {
      for (const kind of ['keys', 'values']) {
        const array = `${kind}.${layer}`;
        this.#variables.set(array, new Variable(`${name}/${array}`, 'float32', shape.headWidth, 1, false));
      }
    }
    store.addVariables([...this.#variables.values()], name);
  }

  clear(): void {
    this.capacity = 0;
    this.slots = 0;
    this.#resize(0, [], []);
  }

  reserve(slots: number, capacity: number, kept: readonly { readonly slot: number; readonly length: number }[]): void {
    const wider = Math.max(capacity, this.capacity);
    const rows = Math.max(this.#rows, slots * this.#shape.keyValueHeads * wider);
    const [before, after] = [this.capacity, wider];
    this.#resize(
      rows,
      kept.flatMap(({ slot, length }) => this.#rowsOf(slot, length, before)),
      kept.flatMap(({ slot, length }) => this.#rowsOf(slot, length, after)),
    );
    this.reshape(wider);
  }

  reshape(capacity: number): void {
    this.capacity = capacity;
    this.slots = Math.floor(this.#rows / (this.#shape.keyValueHeads * capacity));
  }

  copyRows(from: number, to: number, length: number): void {
    const { capacity } = this;
    const [source, target] = [from, to].map((slot) => Int32Array.from(this.#rowsOf(slot, length, capacity)));
    this.#store.copyRows(this.#name, source!, target!);
  }

  swapRows(a: number, b: number): void {
    const { capacity } = this;
    const [first, second] = [a, b].map((slot) => this.#rowsOf(slot, capacity, capacity)) as [number[], number[]];
    this.#store.copyRows(this.#name, Int32Array.from([...first, ...second]), Int32Array.from([...second, ...first]));
  }

  window(first: number, count: number): VariableView {
    const rows = this.#shape.keyValueHeads * this.capacity;
    return {
      has: (name) => this.#variables.has(name),
      locate: ([name]) => this.#locate(name!, first * rows),
      count: () => count * rows * this.#shape.headWidth,
    };
  }

  /** Where new keys and values go. */
  target(name: string): Located {
    return this.#locate(name, 0);
  }

  /** The row of each new key (or value) of a run, [rows, keyValueHeads, width]. */
  rowsFor(places: readonly (Append | undefined)[], width: number): Int32Array {
    const { keyValueHeads } = this.#shape;
    // What is not kept goes to the last row.
    const rows = new Int32Array(places.length * keyValueHeads * width).fill(this.#rows);
    for (const [index, place] of places.entries()) {
      if (place === undefined) continue;
      for (let head = 0; head < keyValueHeads; head += 1) {
        const first = (place.slot * keyValueHeads + head) * this.capacity + place.position;
        const at = (index * keyValueHeads + head) * width;
        for (let position = 0; position < place.count; position += 1) rows[at + position] = first + position;
      }
    }
    return rows;
  }

  #locate(name: string, row: number): Located {
    const variable = this.#variables.get(name);
    if (variable === undefined) throw new Error(`the cache has no ${name}`);
    return { variable, start: undefined, row };
  }

  /** The first `length` positions of a slot, of every head. */
  #rowsOf(slot: number, length: number, capacity: number): number[] {
    const { keyValueHeads } = this.#shape;
    return Array.from({ length: keyValueHeads }, (_, head) =>
      Array.from({ length }, (__, position) => (slot * keyValueHeads + head) * capacity + position),
    ).flat();
  }

  #resize(rows: number, from: readonly number[], to: readonly number[]): void {
    this.#rows = rows;
    this.#store.resize(this.#name, rows + 1, Int32Array.from(from), Int32Array.from(to));
  }
}
