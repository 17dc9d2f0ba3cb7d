import { describe, expect, it } from 'vitest';

import { sortUnsteadily } from './sort-unsteadily.js';

describe('sortUnsteadily', () => {
  it('keeps the order of equal items', () => {
    const items = [
      [2, 'a'],
      [1, 'b'],
      [2, 'c'],
      [1, 'd'],
      [0, 'e'],
    ] as const;
    const sorted = sortUnsteadily(items, ([one], [other]) => one < other);
    expect(sorted.map(([, name]) => name).join('')).toBe('ebdac');
  });

  it('reverses a falling run', () => {
    expect(sortUnsteadily([5, 4, 3, 9, 1], (one, other) => one < other)).toEqual([1, 3, 4, 5, 9]);
  });

  // Printed by CPython 3.11: sorted(items, key=...) with a class whose `<` is the rule below.
  it.each([
    [[0, 1, 2], 3, [0, 1, 2]],
    [[4, 2, 0, 3, 1], 5, [1, 3, 0, 2, 4]],
    [[6, 1, 4, 0, 5, 2, 3], 7, [6, 1, 2, 3, 4, 5, 0]],
  ])('follows CPython where the comparison goes round in a circle: %j', (items, size, expected) => {
    const isLess = (one: number, other: number): boolean => {
      const distance = (other - one + size) % size;
      return distance > 0 && distance <= size / 2;
    };
    expect(sortUnsteadily(items, isLess)).toEqual(expected);
  });
});
