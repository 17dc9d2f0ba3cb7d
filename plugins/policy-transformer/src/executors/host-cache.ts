import type { HostView } from './host-state.js';
import type { Append, CacheShape, CacheState } from './state.js';

/**
 * The cache in the memory of the process. A window is a view, so a run copies nothing that it reads; it returns only
 * the new keys and values, which are written afterwards, because their rows are spread over the cache.
 */
export class HostCache implements CacheState {
  capacity = 0;
  slots = 0;
  readonly #shape: CacheShape;
  /** `keys.N` and `values.N`. */
  readonly #arrays = new Map<string, Float32Array>();
  #scratch = new Float32Array(0);

  constructor(shape: CacheShape) {
    this.#shape = shape;
    this.clear();
  }

  clear(): void {
    this.capacity = 0;
    this.slots = 0;
    for (let layer = 0; layer < this.#shape.layers; layer += 1) {
      this.#arrays.set(`keys.${layer}`, new Float32Array(0));
      this.#arrays.set(`values.${layer}`, new Float32Array(0));
    }
  }

  reserve(slots: number, capacity: number, kept: readonly { readonly slot: number; readonly length: number }[]): void {
    const { keyValueHeads, headWidth } = this.#shape;
    const wider = Math.max(capacity, this.capacity);
    const rows = keyValueHeads * headWidth;
    const floats = Math.max(this.#floats(), slots * rows * wider);
    const strides = [this.capacity * headWidth, wider * headWidth] as const;
    // From the end, so that source and target may be the same array.
    const order = kept.toSorted((a, b) => b.slot - a.slot);
    for (const [name, from] of this.#arrays) {
      const to = from.length >= floats ? from : new Float32Array(floats);
      for (const { slot, length } of order) {
        restride(from, to, slot * keyValueHeads, keyValueHeads, strides, length * headWidth);
      }
      this.#arrays.set(name, to);
    }
    this.capacity = wider;
    this.slots = Math.floor(this.#floats() / (rows * wider));
  }

  reshape(capacity: number): void {
    this.capacity = capacity;
    this.slots = Math.floor(this.#floats() / (this.#shape.keyValueHeads * this.#shape.headWidth * capacity));
  }

  copyRows(from: number, to: number, length: number): void {
    const { headWidth } = this.#shape;
    const size = this.#slotSize();
    const stride = this.capacity * headWidth;
    const count = length * headWidth;
    const shift = (to - from) * size;
    for (const array of this.#arrays.values()) {
      for (let row = from * size; row < (from + 1) * size; row += stride) {
        array.copyWithin(row + shift, row, row + count);
      }
    }
  }

  swapRows(a: number, b: number): void {
    const size = this.#slotSize();
    if (this.#scratch.length < size) this.#scratch = new Float32Array(size);
    const scratch = this.#scratch.subarray(0, size);
    for (const array of this.#arrays.values()) {
      scratch.set(array.subarray(a * size, (a + 1) * size));
      array.copyWithin(a * size, b * size, (b + 1) * size);
      array.set(scratch, b * size);
    }
  }

  window(first: number, count: number): HostView {
    const size = this.#slotSize();
    return {
      has: (name) => this.#arrays.has(name),
      view: ([name]) => this.#arrays.get(name!)?.subarray(first * size, (first + count) * size),
    };
  }

  /**
   * Writes new keys or values.
   * @param data [rows, keyValueHeads, width, headWidth] of a run
   * @param rows where each row goes; `undefined` if it is not kept
   */
  append(name: string, data: Float32Array, rows: readonly (Append | undefined)[]): void {
    const { keyValueHeads, headWidth } = this.#shape;
    const array = this.#arrays.get(name);
    if (array === undefined) throw new Error(`the cache has no ${name}`);
    const stride = this.capacity * headWidth;
    const newStride = data.length / (rows.length * keyValueHeads);
    for (const [row, place] of rows.entries()) {
      if (place === undefined) continue;
      const run = place.count * headWidth;
      let source = row * keyValueHeads * newStride;
      let target = place.slot * keyValueHeads * stride + place.position * headWidth;
      for (let head = 0; head < keyValueHeads; head += 1, source += newStride, target += stride) {
        for (let index = 0; index < run; index += 1) array[target + index] = data[source + index]!;
      }
    }
  }

  #slotSize(): number {
    return this.#shape.keyValueHeads * this.#shape.headWidth * this.capacity;
  }

  #floats(): number {
    return this.#arrays.get('keys.0')!.length;
  }
}

/**
 * Moves the first `count` numbers of `rows` rows, starting at the row `first`, to their places with a wider stride. It
 * works from the end, so that source and target may be the same array.
 */
function restride(
  from: Float32Array,
  to: Float32Array,
  first: number,
  rows: number,
  [narrow, wide]: readonly [number, number],
  count: number,
): void {
  for (let row = first + rows - 1; row >= first; row -= 1) {
    if (from === to) to.copyWithin(row * wide, row * narrow, row * narrow + count);
    else to.set(from.subarray(row * narrow, row * narrow + count), row * wide);
  }
}
