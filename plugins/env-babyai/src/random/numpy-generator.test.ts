import { describe, expect, it } from 'vitest';

import { NumpyGenerator } from './numpy-generator.js';

// numpy 2.4.6: Generator(PCG64(SeedSequence(seed))); integers(0, n), uniform(0, 1), integers(1, 9), bit_generator.state.
const recorded = [
  [0, [1, 1, 3, 1, 6, 0, 0], 0.016527635528529094, [2, 7, 6], '0713825bf6e82250d44730a8ba681acd', 3920255353],
  [1, [0, 1, 4, 6, 0, 0, 0], 0.9486494471372439, [2, 3, 7], '8c0cdf42f6bbb34a7fcf5d0194434964', 1818173253],
  [2147483648, [0, 2, 1, 0, 13, 0, 4], 0.09204466763660957, [7, 4, 8], '7e3891e46ff9ad5d8715c22c061bd32f', 3552902373],
  [4294967301, [0, 2, 4, 3, 17, 0, 3], 0.8165376458429717, [7, 5, 5], '0f92ce8e254db52f2cfefd32aa990273', 3512165843],
  [
    9007199254740991,
    [0, 2, 4, 4, 16, 0, 2],
    0.1563294447865048,
    [5, 1, 7],
    'ab4ed2e2ae85b3e67d23ff532960fcce',
    1818360147,
  ],
] as const;

describe('random numbers as numpy makes them', () => {
  it.each(recorded)('for the seed %d', (seed, integers, uniform, more, state) => {
    const random = new NumpyGenerator(seed);
    expect([2, 3, 6, 7, 20, 1, 5].map((size) => random.integer(0, size))).toEqual(integers);
    expect(random.uniform()).toBe(uniform);
    expect([1, 2, 3].map(() => random.integer(1, 9))).toEqual(more);
    expect(random.state()).toMatchObject({ state, hasHalf: true });
  });

  it('draws nothing for a range of one', () => {
    const random = new NumpyGenerator(3);
    const before = random.state();
    expect(random.integer(4, 5)).toBe(4);
    expect(random.state()).toEqual(before);
  });

  it('draws different elements of a list', () => {
    const drawn = new NumpyGenerator(5).subset(['a', 'b', 'c', 'd'], 4);
    expect([...drawn].sort()).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([-1, 0.5, 2 ** 53, NaN])('refuses %d as a seed', (seed) => {
    expect(() => new NumpyGenerator(seed)).toThrow('A seed is an integer from 0 to 9007199254740991');
  });
});
