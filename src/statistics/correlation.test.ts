import { expect, it } from 'vitest';

import { correlation } from './correlation.js';

// Python 3.12: statistics.correlation([1, 2, 3, 5], [2, 1, 4, 4])
it('is that of Python', () => {
  expect(
    correlation([
      [1, 2],
      [2, 1],
      [3, 4],
      [5, 4],
    ]),
  ).toBeCloseTo(0.7481900559272088, 12);
});

it('is undefined where one side does not vary', () => {
  expect(
    correlation([
      [1, 2],
      [2, 2],
    ]),
  ).toBeUndefined();
  expect(correlation([])).toBeUndefined();
});
