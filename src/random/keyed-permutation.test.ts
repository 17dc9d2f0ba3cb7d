import { describe, expect, it } from 'vitest';

import { createRandom } from './create-random.js';
import { epochOrder, keyedPermutation } from './keyed-permutation.js';

const sizes = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 127, 129, 1000, 1023, 1025, 65_537, 300_000];
const places = (count: number) => Array.from({ length: count }, (_, place) => place);

/** Chi-square over its degrees of freedom, in standard deviations of its distribution. */
function deviation(counts: readonly number[], cells: number): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / cells;
  const filled = places(cells).map((cell) => counts[cell] ?? 0);
  const chiSquare = filled.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
  return (chiSquare - (cells - 1)) / Math.sqrt(2 * (cells - 1));
}

/** How often each cell was drawn. */
function tally(draws: Iterable<number>): number[] {
  const counts: number[] = [];
  for (const draw of draws) counts[draw] = (counts[draw] ?? 0) + 1;
  return counts;
}

describe('keyedPermutation', () => {
  it.each(sizes)('gives each of %i places once', (count) => {
    for (const seed of [1, 2]) {
      const order = keyedPermutation(count, createRandom(seed));
      const seen = new Uint8Array(count);
      for (const place of places(count)) seen[order(place)]! += 1;
      expect(seen.every((times) => times === 1)).toBe(true);
    }
  });

  it('gives the numbers of every machine', () => {
    const order = (count: number) => keyedPermutation(count, createRandom(7).stream('order'));
    // Of a second implementation, in Python with whole numbers of any length.
    expect(places(8).map(order(10))).toEqual([0, 4, 5, 2, 9, 1, 6, 8]);
    expect(places(5).map(order(2_000_000))).toEqual([973_215, 1_744_334, 1_781_349, 1_632_330, 1_164_889]);
    const long = [1_489_953_881_914_217, 3_915_024_971_416_402, 3_420_580_893_806_354];
    expect(places(3).map(order(2 ** 53 - 1))).toEqual(long);
  });

  it('gives all 24 orders of four places equally often', () => {
    const orders = places(24_000).map((seed) => {
      const order = places(4).map(keyedPermutation(4, createRandom(seed)));
      // The rank of the order among all.
      return places(4).reduce((rank, place) => {
        const smaller = order.slice(place + 1).filter((other) => other < order[place]!).length;
        return rank * (4 - place) + smaller;
      }, 0);
    });
    expect(Math.abs(deviation(tally(orders), 24))).toBeLessThan(4);
  });

  it.each([5, 11, 16, 37])('puts each pair of %i places anywhere equally often', (count) => {
    const pairs = places(400 * count).map((seed) => {
      const order = keyedPermutation(count, createRandom(seed));
      const [first, second] = [order(0), order(count - 1)];
      return first * (count - 1) + second - Number(second > first);
    });
    expect(Math.abs(deviation(tally(pairs), count * (count - 1)))).toBeLessThan(4);
  });

  it('looks like independent draws where there are many places', () => {
    const count = 3_000_017;
    const order = keyedPermutation(count, createRandom(3));
    const drawn = places(40_000).map(order);
    const bucket = (place: number) => Math.floor((place * 20) / count);
    const steps = drawn.slice(1).map((place, index) => bucket(drawn[index]!) * 20 + bucket(place));
    expect(Math.abs(deviation(tally(steps), 400))).toBeLessThan(4);
    const bits = places(12).map((bit) => drawn.filter((place) => (place >> bit) & 1).length);
    for (const ones of bits) expect(Math.abs(ones - 20_000)).toBeLessThan(5 * 100);
  });

  it('refuses what is no place', () => {
    for (const count of [0, -1, 1.5, NaN]) expect(() => keyedPermutation(count, createRandom(1))).toThrow(RangeError);
    for (const place of [-1, 10, 0.5]) expect(() => keyedPermutation(10, createRandom(1))(place)).toThrow(RangeError);
  });
});

describe('epochOrder', () => {
  it('gives every place once in each epoch, in other orders, from any position on', () => {
    const order = epochOrder(50, createRandom(4));
    const epochs = places(3).map((epoch) => places(50).map((place) => order(50 * epoch + place)));
    for (const epoch of epochs) expect([...epoch].sort((a, b) => a - b)).toEqual(places(50));
    expect(new Set(epochs.map(String)).size).toBe(3);
    expect(epochOrder(50, createRandom(4))(149)).toBe(epochs[2]![49]);
  });
});
