// Random numbers as numpy's `Generator(PCG64(SeedSequence(seed)))` gives them, which gymnasium seeds every world with.
import { seedWords } from './seed-words.js';

/** Numbers of 128 bits are eight limbs of 16 bits, lowest first: products of two limbs stay exact. */
const limbs = 8;
const limbSize = 0x10000;
/** PCG's multiplier for 128 bits, 0x2360ed051fc65da44385df649fccf645. */
const multiplier = [0xf645, 0x9fcc, 0xdf64, 0x4385, 0x5da4, 0x1fc6, 0xed05, 0x2360] as const;

/** The state between two draws, as numpy shows it: `bit_generator.state`. */
export interface GeneratorState {
  /** 128 bits in hexadecimal. */
  readonly state: string;
  /** The second half of a 64-bit number waits to be used. */
  readonly hasHalf: boolean;
  /** That half; numpy keeps it after its use. */
  readonly half: number;
}

/** The same calls in the same order give the same numbers as numpy 2.4. */
export class NumpyGenerator {
  readonly #state = new Int32Array(limbs);
  readonly #increment = new Int32Array(limbs);
  readonly #product = new Int32Array(limbs);
  #hasHalf = false;
  #half = 0;
  /** Halves of the last 64-bit number. */
  #high = 0;
  #low = 0;

  /** Throws a `RangeError` if the seed is not an integer from 0 to 2^53 - 1. */
  constructor(seed: number) {
    // Two 128-bit numbers, each as two 64-bit numbers with the higher first: the start and the increment.
    const words = seedWords(seed, 8);
    const start = limbsOf([2, 3, 0, 1].map((index) => words[index] as number));
    const stream = limbsOf([6, 7, 4, 5].map((index) => words[index] as number));
    // The increment is 2 * stream + 1.
    let carry = 1;
    for (let index = 0; index < limbs; index += 1) {
      const doubled = 2 * (stream[index] as number) + carry;
      this.#increment[index] = doubled % limbSize;
      carry = doubled >= limbSize ? 1 : 0;
    }
    this.#advance();
    carry = 0;
    for (let index = 0; index < limbs; index += 1) {
      const sum = (this.#state[index] as number) + (start[index] as number) + carry;
      this.#state[index] = sum % limbSize;
      carry = sum >= limbSize ? 1 : 0;
    }
    this.#advance();
  }

  /** `integers(low, high)`: from `low` to `high` - 1, by Lemire's method. A range of one draws nothing. */
  integer(low: number, high: number): number {
    const size = high - low;
    if (size <= 1) return low;
    for (;;) {
      const word = this.#next32();
      // The product has up to 64 bits; its halves are computed from two exact products.
      const lower = (word & 0xffff) * size;
      const upper = (word >>> 16) * size + Math.floor(lower / limbSize);
      const rest = (upper % limbSize) * limbSize + (lower % limbSize);
      if (rest >= size || rest >= 2 ** 32 % size) return low + Math.floor(upper / limbSize);
    }
  }

  /** `random()`: a number from 0 to below 1 with 53 random bits. */
  uniform(): number {
    this.#next64();
    return (this.#high * 0x200000 + (this.#low >>> 11)) / 2 ** 53;
  }

  /** The element at a random place of a list. */
  choice<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length)] as Item;
  }

  /** Different elements of a list, in the order in which they were drawn. */
  subset<Item>(items: readonly Item[], count: number): Item[] {
    const left = [...items];
    return Array.from({ length: count }, () => left.splice(this.integer(0, left.length), 1)[0] as Item);
  }

  /** True with probability 1/2; Minigrid takes 0 as true. */
  coin(): boolean {
    return this.integer(0, 2) === 0;
  }

  state(): GeneratorState {
    const digits = [...this.#state].reverse().map((limb) => limb.toString(16).padStart(4, '0'));
    return { state: digits.join(''), hasHalf: this.#hasHalf, half: this.#half };
  }

  #next32(): number {
    if (this.#hasHalf) {
      this.#hasHalf = false;
      return this.#half;
    }
    this.#next64();
    this.#hasHalf = true;
    this.#half = this.#high;
    return this.#low;
  }

  /** PCG's output XSL-RR: the halves of the state are combined, and rotated by its highest six bits. */
  #next64(): void {
    this.#advance();
    const low = this.#word(0) ^ this.#word(4);
    const high = this.#word(2) ^ this.#word(6);
    const turn = (this.#state[limbs - 1] as number) >>> 10;
    const bits = turn & 31;
    const first = turn < 32 ? low : high;
    const second = turn < 32 ? high : low;
    this.#low = bits === 0 ? first >>> 0 : ((first >>> bits) | (second << (32 - bits))) >>> 0;
    this.#high = bits === 0 ? second >>> 0 : ((second >>> bits) | (first << (32 - bits))) >>> 0;
  }

  /** 32 bits of the state from a limb on. */
  #word(limb: number): number {
    return ((this.#state[limb + 1] as number) << 16) | (this.#state[limb] as number);
  }

  /** state = state * multiplier + increment, modulo 2^128. */
  #advance(): void {
    const state = this.#state;
    const product = this.#product;
    let carry = 0;
    for (let place = 0; place < limbs; place += 1) {
      let sum = carry + (this.#increment[place] as number);
      for (let index = 0; index <= place; index += 1) {
        sum += (state[index] as number) * (multiplier[place - index] as number);
      }
      carry = Math.floor(sum / limbSize);
      product[place] = sum - carry * limbSize;
    }
    state.set(product);
  }
}

/** Limbs of a number of 128 bits from its words of 32 bits, lowest first. */
function limbsOf(words: readonly number[]): readonly number[] {
  return words.flatMap((word) => [word % limbSize, Math.floor(word / limbSize)]);
}
