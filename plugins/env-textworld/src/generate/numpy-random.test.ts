import { describe, expect, it } from 'vitest';
// Recorded with numpy 2.4.6: the calls below, in this order, on `RandomState(seed)`.
import recorded from './fixtures/numpy-random.json' with { type: 'json' };
import { NumpyRandom } from './numpy-random.js';
import { subSeeds } from './seeds.js';

describe('NumpyRandom', () => {
  it.each(Object.entries(recorded))('gives the numbers of RandomState(%s)', (seed, numbers) => {
    const random = new NumpyRandom(Number(seed));
    const highs = [1, 2, 3, 4, 5, 10, 100, 65635, 2 ** 31, 2 ** 32];
    expect(highs.map((high) => random.integer(0, high))).toEqual(numbers.integers);
    expect([random.integer(5, 9), random.integer(-3, 4)]).toEqual(numbers.range);
    expect(numbers.random.map(() => random.random())).toEqual(numbers.random);
    for (const value of numbers.gaussian) expect(random.gaussian()).toBeCloseTo(value, 14);
    expect(numbers.choice.map(() => random.choice([...'abcdefg']))).toEqual(numbers.choice);
    const weights = [0.1, 0.2, 0.3, 0.4];
    expect(numbers.weighted.map(() => random.choice([...'abcd'], weights))).toEqual(numbers.weighted);
    const list = Array.from({ length: 12 }, (_, index) => index);
    random.shuffle(list);
    expect(list).toEqual(numbers.shuffle);
    expect(random.permutation([3, 1, 4, 1, 5, 9, 2, 6])).toEqual(numbers.permutation);
    let mixed = 0;
    for (let count = 0; count < 2000; count++) mixed = (mixed * 31 + random.integer(0, 1000003)) % 1000000007;
    expect(mixed).toBe(numbers.far);
    expect(random.random()).toBe(numbers.after);
  });

  it('shuffles the first integers of an array as it shuffles a list', () => {
    const list = [5, 6, 7, 8, 9];
    const integers = Int32Array.from([...list, 1, 2]);
    new NumpyRandom(3).shuffle(list);
    new NumpyRandom(3).shuffleIntegers(integers, 5);
    expect([...integers]).toEqual([...list, 1, 2]);
  });

  it('refuses seeds and ranges that numpy refuses', () => {
    for (const seed of [-1, 1.5, NaN, 2 ** 32]) expect(() => new NumpyRandom(seed)).toThrow(RangeError);
    expect(() => new NumpyRandom(1).integer(3, 3)).toThrow(RangeError);
    expect(() => new NumpyRandom(1).choice([])).toThrow(RangeError);
  });
});

describe('subSeeds', () => {
  it('draws map, objects, quest and grammar in this order', () => {
    expect(subSeeds(1)).toEqual({ map: 5192, objects: 50057, quest: 21440, grammar: 20609 });
    expect(subSeeds(45)).toEqual({ map: 6558, objects: 63107, quest: 6012, grammar: 60960 });
  });
});
