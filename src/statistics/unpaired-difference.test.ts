import { describe, expect, it } from 'vitest';

import { crossedInterval } from './crossed-interval.js';
import { unpairedDifference } from './unpaired-difference.js';

/** One seed, so that cells are plain samples of tasks. */
const sample = (values: readonly number[]) => crossedInterval([values]);

describe('unpairedDifference', () => {
  // scipy.stats.ttest_ind([3, 4, 6, 7, 9], [1, 2, 2, 4, 3, 3], equal_var=False).pvalue
  it("has Welch's p", () => {
    const { mean, p } = unpairedDifference(sample([1, 2, 2, 4, 3, 3]), sample([3, 4, 6, 7, 9]));
    expect(mean).toBeCloseTo(3.3, 12);
    expect(p).toBeCloseTo(0.03291192167656548, 9);
  });

  // Goes red when the ends of one side are not swapped.
  it('adds the distances of both intervals, each to its own side, in squares', () => {
    const [a, b] = [
      crossedInterval([[0, 0, 0, 1]], { bounds: [0, 1] }),
      crossedInterval([[1, 1, 1, 0, 1]], { bounds: [0, 1] }),
    ];
    const { low, high, mean } = unpairedDifference(a, b);
    expect(low).toBeCloseTo(mean - Math.sqrt((b.mean - b.low) ** 2 + (a.high - a.mean) ** 2), 12);
    expect(high).toBeCloseTo(mean + Math.sqrt((b.high - b.mean) ** 2 + (a.mean - a.low) ** 2), 12);
    const reversed = unpairedDifference(b, a);
    expect([reversed.low, reversed.high]).toEqual([-high, -low]);
  });

  it('claims nothing where neither varies', () => {
    const constant = crossedInterval([[1, 1, 1]], { bounds: [0, 1] });
    expect(unpairedDifference(constant, constant)).toMatchObject({ mean: 0, p: 1 });
    expect(unpairedDifference(constant, constant).low).toBeLessThan(0);
  });
});
