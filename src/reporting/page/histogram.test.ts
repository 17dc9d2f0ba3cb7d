import { expect, it } from 'vitest';

import { barsOf } from './histogram.js';

// Goes red when a value falls between two bars, or is counted twice.
it('counts every value once', () => {
  const values = Array.from({ length: 500 }, (_, i) => Math.sin(i) * 3);
  const bars = barsOf(values);
  expect(bars.length).toBe(20);
  expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(500);
  expect([bars[0]!.low, bars.at(-1)!.high]).toEqual([Math.min(...values), expect.closeTo(Math.max(...values), 12)]);
});

it('gives each of few whole numbers a bar, those that never came among them', () => {
  expect(barsOf([1, 1, 3])).toEqual([
    { low: 1, high: 1, count: 2 },
    { low: 2, high: 2, count: 0 },
    { low: 3, high: 3, count: 1 },
  ]);
  expect(barsOf([0.5, 0.5])).toEqual([{ low: 0.5, high: 0.5, count: 2 }]);
  expect(barsOf([])).toEqual([]);
  // A hundred whole numbers: bars of five.
  const bars = barsOf(Array.from({ length: 100 }, (_, i) => i));
  expect(bars).toHaveLength(20);
  expect(new Set(bars.map(({ count }) => count))).toEqual(new Set([5]));
});
