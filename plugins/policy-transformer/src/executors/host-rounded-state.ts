import { narrowBrain, widen } from '../operations/half-floats.js';
import { totalElements, viewsOf } from '../operations/shapes.js';
import type { Shape } from '../operations/tensor.js';
import { jointView, placeFor, type HostView } from './host-state.js';
import type { StateArrays } from './state.js';

/**
 * Arrays of bfloat16, the upper half of a float32, in the memory of the process. Rounding to the nearest would lose every
 * change below 1/512 of a number, and Adam's second moment changes by 1/1000 a step.
 */
export class HostRoundedState implements StateArrays, HostView {
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly type = 'bfloat16';
  readonly #data: Uint16Array;
  readonly #views: ReadonlyMap<string, Uint16Array>;

  constructor(shapes: ReadonlyMap<string, Shape>) {
    this.shapes = shapes;
    this.#data = new Uint16Array(totalElements(shapes));
    this.#views = viewsOf(shapes, this.#data);
  }

  has(name: string): boolean {
    return this.#views.has(name);
  }

  view(names: readonly string[]): Float32Array | undefined {
    const stored = jointView(names, this.#views);
    return stored && widened(stored);
  }

  assign(name: string, data: Float32Array, roundingSeed: number): void {
    this.#round(data, placeFor(name, data, this.#of(name)), roundingSeed);
  }

  read(name: string, start = 0, count?: number): Promise<Float32Array> {
    return Promise.resolve(widened(this.#of(name).subarray(start, count === undefined ? undefined : start + count)));
  }

  /** Numbers that were read here come back as they were. Others are rounded as by a run with the seed 0. */
  write(name: string, data: Float32Array, start?: number): Promise<void> {
    this.#round(data, placeFor(name, data, this.#of(name), start), 0);
    return Promise.resolve();
  }

  part(name: string, as: string, start: number, count: number): HostView {
    const offset = this.#offsetOf(this.#of(name)) + start;
    const stored = this.#data.subarray(offset, offset + count);
    return {
      has: (asked) => asked === as,
      view: () => widened(stored),
      assign: (asked, data, roundingSeed) => this.#round(data, placeFor(asked, data, stored), roundingSeed),
    };
  }

  /** The memory is freed when nothing refers to it any more. */
  dispose(): Promise<void> {
    return Promise.resolve();
  }

  #of(name: string): Uint16Array {
    const view = this.#views.get(name);
    if (view === undefined) throw new Error(`the state has no ${name}`);
    return view;
  }

  #offsetOf(view: Uint16Array): number {
    return (view.byteOffset - this.#data.byteOffset) / view.BYTES_PER_ELEMENT;
  }

  #round(numbers: Float32Array, place: Uint16Array, seed: number): void {
    roundAtRandom(numbers, place, this.#offsetOf(place), seed);
  }
}

function widened(stored: Uint16Array): Float32Array {
  const numbers = new Float32Array(stored.length);
  widen(new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength), 'BF16', numbers);
  return numbers;
}

/**
 * Rounds to bfloat16: up with the probability that makes the mean exact. A number that bfloat16 has stays as it is. The
 * random bits of a number are a hash of its place and the seed, so no generator has to be saved.
 */
function roundAtRandom(numbers: Float32Array, target: Uint16Array, firstPlace: number, seed: number): void {
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  const key = Math.imul(seed, 0x9e3779b1);
  for (let i = 0; i < bits.length; i += 1) {
    // The mixing of MurmurHash3 (smhasher, MurmurHash3.cpp: fmix32).
    let hash = (firstPlace + i) ^ key;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    target[i] = narrowBrain(bits[i]!, (hash ^ (hash >>> 16)) & 0xffff);
  }
}
