import { testHost } from '@agentgym/cli/testing';
import { expect, it } from 'vitest';

import { placeSequences } from './place-rows.js';

// Goes red when sequences overlap, or when a row with room is passed over.
it('places sequences without overlap, in few rows', () => {
  const { random } = testHost();
  for (let trial = 0; trial < 50; trial += 1) {
    const width = random.integer(10, 100);
    const lengths = Array.from({ length: random.integer(1, 60) }, () => random.integer(1, width + 1));
    lengths.sort((a, b) => b - a);
    const { places, rows } = placeSequences(lengths, width);
    const used = new Uint8Array(rows * width);
    for (const [sequence, { row, start }] of places.entries()) {
      expect(start + lengths[sequence]!).toBeLessThanOrEqual(width);
      for (let place = 0; place < lengths[sequence]!; place += 1) used[row * width + start + place]! += 1;
    }
    expect(Math.max(...used)).toBe(1);
    const fewest = Math.ceil(lengths.reduce((sum, length) => sum + length, 0) / width);
    expect(rows).toBeLessThanOrEqual(2 * fewest);
    expect(rows).toBeLessThanOrEqual(lengths.length);
  }
});

it('fills a row before it opens another', () => {
  expect(placeSequences([8, 5, 5, 3, 2], 10)).toEqual({
    places: [
      { row: 0, start: 0 },
      { row: 1, start: 0 },
      { row: 1, start: 5 },
      { row: 2, start: 0 },
      { row: 0, start: 8 },
    ],
    rows: 3,
  });
});
