import { MASKED } from './causal-mask.js';

/**
 * Memory for the masks of one micro-batch after the other. With new arrays each time, V8 would collect garbage every few
 * micro-batches, because it counts the bytes outside its heap.
 */
export class MaskMemory {
  readonly #arrays = new Map<string, Float32Array>();

  /** An array in which everything is masked. It is valid until the next call with this name. */
  take(name: string, length: number): Float32Array {
    let array = this.#arrays.get(name);
    if (array === undefined || array.length < length) {
      array = new Float32Array(length);
      this.#arrays.set(name, array);
    }
    return array.subarray(0, length).fill(MASKED);
  }
}
