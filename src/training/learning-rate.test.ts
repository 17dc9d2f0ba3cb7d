import { describe, expect, it } from 'vitest';

import { learningRate } from './learning-rate.js';

const rates = (schedule: 'constant' | 'linear' | 'cosine', warmup: number, steps: number): number[] =>
  Array.from({ length: steps }, (_, index) =>
    learningRate({ peak: 8, warmup, schedule, floor: 0.25 }, index + 1, steps),
  );

describe('learningRate', () => {
  it('climbs evenly to the peak, then falls evenly to the floor', () => {
    expect(rates('linear', 2, 5)).toEqual([4, 8, 6, 4, 2]);
  });

  it('stays at the peak where it is constant', () => {
    expect(rates('constant', 4, 6)).toEqual([2, 4, 6, 8, 8, 8]);
  });

  it('falls along a half cosine', () => {
    const [first, second, last] = rates('cosine', 0, 3);
    expect(first).toBe(8);
    expect(second).toBeCloseTo(5, 12);
    expect(last).toBeCloseTo(2, 12);
  });

  it('is at the floor where warming up takes all the steps', () => {
    expect(learningRate({ peak: 8, warmup: 3, schedule: 'linear', floor: 0.25 }, 3, 3)).toBe(2);
    expect(learningRate({ peak: 8, warmup: 0, schedule: 'linear', floor: 0.25 }, 1, 1)).toBe(2);
  });
});
