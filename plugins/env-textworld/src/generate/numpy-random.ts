// Random numbers as numpy's legacy `RandomState(seed)` gives them, which the original generates its games with.

const LENGTH = 624;
const SHIFT = 397;
const UPPER_BIT = 0x80000000 | 0;
const LOWER_BITS = 0x7fffffff;
const TWIST = 0x9908b0df | 0;

/**
 * The generator `numpy.random.RandomState(seed)`: MT19937 and numpy's legacy ways to make numbers from its words.
 * The same calls in the same order give the same numbers as numpy 2.4. Making one is cheap; its words are computed
 * when they are drawn.
 */
export class NumpyRandom {
  private words: Int32Array | undefined;
  private position = 0;
  private spareGaussian: number | undefined;

  /** Throws a `RangeError` if the seed is not an integer from 0 to 2^32 - 1. */
  constructor(private readonly seed: number) {
    if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
      throw new RangeError(`The seed of random numbers is an integer from 0 to 4294967295, not ${String(seed)}`);
    }
  }

  /** `randint(low, high)`: an integer from `low` to `high` - 1. Throws a `RangeError` if there is none. */
  integer(low: number, high: number): number {
    if (!(high > low) || high - low > 2 ** 32) {
      throw new RangeError(`No integer can be drawn from ${String(low)} to below ${String(high)}`);
    }
    return low + this.upTo(high - low - 1);
  }

  /** `random_sample()` and `rand()`: a number from 0 to below 1 with 53 random bits. */
  random(): number {
    const high = this.nextWord() >>> 5;
    const low = this.nextWord() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  /** `randn()`: a number from the standard normal distribution; pairs are made together, as in numpy. */
  gaussian(): number {
    if (this.spareGaussian !== undefined) {
      const spare = this.spareGaussian;
      this.spareGaussian = undefined;
      return spare;
    }
    for (;;) {
      const x = 2 * this.random() - 1;
      const y = 2 * this.random() - 1;
      const square = x * x + y * y;
      if (square < 1 && square !== 0) {
        const factor = Math.sqrt((-2 * Math.log(square)) / square);
        this.spareGaussian = factor * x;
        return factor * y;
      }
    }
  }

  /** `choice(items)`, or `choice(items, p=weights)`. Throws a `RangeError` if there are no items. */
  choice<Item>(items: readonly Item[], weights?: readonly number[]): Item {
    if (items.length === 0) throw new RangeError('Nothing can be chosen from an empty list');
    const index = weights === undefined ? this.upTo(items.length - 1) : this.weightedIndex(weights);
    return items[index] as Item;
  }

  /** `shuffle(items)`, in place. */
  shuffle<Item>(items: Item[]): void {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.upTo(last);
      const item = items[last] as Item;
      items[last] = items[other] as Item;
      items[other] = item;
    }
  }

  /** `shuffle` of the first `count` integers. A method of its own, because it runs faster if it knows only one kind. */
  shuffleIntegers(items: Int32Array, count: number): void {
    for (let last = count - 1; last > 0; last--) {
      const other = this.upTo(last);
      const item = items[last] as number;
      items[last] = items[other] as number;
      items[other] = item;
    }
  }

  /** `permutation(items)`: a shuffled copy. */
  permutation<Item>(items: readonly Item[]): Item[] {
    const copy = [...items];
    this.shuffle(copy);
    return copy;
  }

  /** An integer from 0 to `maximum` (below 2^32), by drawing words until one is small enough behind the mask. */
  private upTo(maximum: number): number {
    if (maximum === 0) return 0;
    const mask = 0xffffffff >>> Math.clz32(maximum);
    for (;;) {
      const value = (this.nextWord() & mask) >>> 0;
      if (value <= maximum) return value;
    }
  }

  private weightedIndex(weights: readonly number[]): number {
    const sums: number[] = [];
    let total = 0;
    for (const weight of weights) sums.push((total += weight));
    const drawn = this.random();
    let index = 0;
    while (index < sums.length - 1 && (sums[index] as number) / total <= drawn) index++;
    return index;
  }

  /** The next 32 random bits. A word of the state is renewed just before it is used. */
  private nextWord(): number {
    const words = (this.words ??= seededWords(this.seed));
    const position = this.position;
    const next = position + 1 === LENGTH ? 0 : position + 1;
    const far = position + SHIFT < LENGTH ? position + SHIFT : position + SHIFT - LENGTH;
    const mixed = ((words[position] as number) & UPPER_BIT) | ((words[next] as number) & LOWER_BITS);
    let word = (words[far] as number) ^ (mixed >>> 1) ^ (-(mixed & 1) & TWIST);
    words[position] = word;
    this.position = next;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return word ^ (word >>> 18);
  }
}

function seededWords(seed: number): Int32Array {
  const words = new Int32Array(LENGTH);
  let word = seed | 0;
  words[0] = word;
  for (let index = 1; index < LENGTH; index++) {
    word = (Math.imul(1812433253, word ^ (word >>> 30)) + index) | 0;
    words[index] = word;
  }
  return words;
}
