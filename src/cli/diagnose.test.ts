import { expect, it } from 'vitest';

import { busyness } from './diagnose.js';

// Goes red when a busy machine counts as a free one.
it('notes that others use the machine', () => {
  expect(busyness(0.9, 2)).toEqual([]);
  expect(busyness(3.14, 2)).toMatchObject([
    { level: 'note', message: 'the machine is busy: 3.1 processes share its 2 processors' },
  ]);
});
