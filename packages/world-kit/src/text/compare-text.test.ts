import { expect, it } from 'vitest';

import { compareText } from './compare-text.js';

it('orders texts by code points', () => {
  const texts = ['b', '😀', 'a', '\uffee', 'ab', '', 'B'];
  expect([...texts].sort(compareText)).toEqual(['', 'B', 'a', 'ab', 'b', '\uffee', '😀']);
});
