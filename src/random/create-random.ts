// Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"),
// keyed by a hash of the seed and the stream's path. A stream has no parent state, so parts of a program may ask in any
// order.
import { hash } from 'node:crypto';

import type { Random } from '../contracts/random.js';

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;
const ROUNDS = 10;

/** High 32 bits of the product of two unsigned 32-bit numbers. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const carry = (middle & 0xffff) + aLow * bHigh;
  return (aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(carry / 0x10000)) >>> 0;
}

/**
 * One block of Philox4x32-10.
 *
 * @param counter four unsigned 32-bit words; overwritten with the four random words
 */
export function philox4x32(counter: Uint32Array, key0: number, key1: number): void {
  let [c0, c1, c2, c3] = counter as unknown as [number, number, number, number];
  for (let round = 0; round < ROUNDS; round += 1) {
    const high0 = multiplyHigh(MULTIPLIER_0, c0);
    const low0 = Math.imul(MULTIPLIER_0, c0) >>> 0;
    const high1 = multiplyHigh(MULTIPLIER_1, c2);
    const low1 = Math.imul(MULTIPLIER_1, c2) >>> 0;
    c0 = (high1 ^ c1 ^ key0) >>> 0;
    c1 = low1;
    c2 = (high0 ^ c3 ^ key1) >>> 0;
    c3 = low0;
    key0 = (key0 + WEYL_0) >>> 0;
    key1 = (key1 + WEYL_1) >>> 0;
  }
  counter[0] = c0;
  counter[1] = c1;
  counter[2] = c2;
  counter[3] = c3;
}

class PhiloxRandom implements Random {
  readonly key: string;
  #keys: readonly [number, number] | undefined;
  #block = 0;
  /** The last block. Most streams only create other streams, and never have one. */
  #words: Uint32Array | undefined;
  #next = 4;

  constructor(path: string) {
    this.key = path;
  }

  uniform(): number {
    // 53 bits of two words, as numpy and CPython do.
    return ((this.#word() >>> 5) * 67108864 + (this.#word() >>> 6)) / 9007199254740992;
  }

  integer(low: number, high: number): number {
    if (!(Number.isSafeInteger(low) && Number.isSafeInteger(high) && low < high)) {
      throw new RangeError(`no integer lies in [${low}, ${high})`);
    }
    return low + Math.floor(this.uniform() * (high - low));
  }

  normal(): number {
    // Box-Muller; 1 - u lies in (0, 1], so the logarithm is finite.
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  choice<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to choose from');
    return items[this.integer(0, items.length)] as T;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const result = [...items];
    for (let last = result.length - 1; last > 0; last -= 1) {
      const other = this.integer(0, last + 1);
      [result[last], result[other]] = [result[other] as T, result[last] as T];
    }
    return result;
  }

  stream(...path: readonly (string | number)[]): Random {
    return new PhiloxRandom(this.key + path.map((part) => `/${JSON.stringify(part)}`).join(''));
  }

  #word(): number {
    const words = (this.#words ??= new Uint32Array(4));
    if (this.#next === 4) {
      this.#keys ??= keysOf(this.key);
      words[0] = this.#block >>> 0;
      words[1] = Math.floor(this.#block / 0x100000000);
      words[2] = 0;
      words[3] = 0;
      this.#block += 1;
      philox4x32(words, ...this.#keys);
      this.#next = 0;
    }
    return words[this.#next++] as number;
  }
}

function keysOf(path: string): readonly [number, number] {
  // A string of bytes is there three times as fast as a Buffer, and every turn of every episode has a stream.
  const digest = hash('sha256', path, 'binary');
  return [littleEndian(digest, 0), littleEndian(digest, 4)];
}

/** Four characters as the bytes of an unsigned 32-bit word. */
function littleEndian(bytes: string, at: number): number {
  const byte = (index: number) => bytes.charCodeAt(at + index) << (8 * index);
  return (byte(0) | byte(1) | byte(2) | byte(3)) >>> 0;
}

/** The root of all randomness of a run. `seed` is a whole number. */
export function createRandom(seed: number): Random {
  if (!Number.isSafeInteger(seed)) throw new RangeError(`a seed is a whole number, not ${seed}`);
  return new PhiloxRandom(String(seed));
}

/** The data of a stream: `randomOfKey` makes a stream with the same numbers from its start, in any thread. */
export function randomKey(random: Random): string {
  if (!(random instanceof PhiloxRandom)) throw new TypeError('only streams of this package have a key');
  return random.key;
}

/** The stream of a key. */
export function randomOfKey(key: string): Random {
  return new PhiloxRandom(key);
}
