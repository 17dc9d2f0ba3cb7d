import { describe, expect, it } from 'vitest';

import { SeededRandom } from './seeded-random.js';

describe('numbers of a text', () => {
  it('are the same for ever, and others for another text', () => {
    const draw = (seed: string) => {
      const random = new SeededRandom(seed);
      return Array.from({ length: 4 }, () => random.integer(0, 1000));
    };
    expect(draw('kitchen-1')).toEqual([645, 185, 181, 620]);
    expect(draw('kitchen-2')).not.toEqual(draw('kitchen-1'));
  });

  it('are even', () => {
    const random = new SeededRandom('even');
    const counts = [0, 0, 0, 0];
    for (let draw = 0; draw < 40_000; draw += 1) counts[random.choice([0, 1, 2, 3])]! += 1;
    // Four standard deviations of a binomial count.
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(4 * Math.sqrt(40_000 * 0.25 * 0.75));
  });

  it('shuffle a list into a new one with the same items', () => {
    const items = [1, 2, 3, 4, 5, 6, 7, 8];
    const shuffled = new SeededRandom('order').shuffle(items);
    expect(items).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(shuffled).not.toEqual(items);
    expect(shuffled.toSorted()).toEqual(items);
  });
});
