import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, it } from 'vitest';

import { cutText } from './cut-text.js';

it('keeps both ends, says how much it left out, and never cuts a character in two', () => {
  expect(cutText('abc', 3)).toBe('abc');
  expect(cutText('abcd', 2)).toBe('a\n[cut: 2 of 4 characters left out]\nd');
  expect(cutText('abcdef', 5)).toBe('abc\n[cut: 1 of 6 characters left out]\nef');
  expect(cutText('abcd', 1)).toBe('a\n[cut: 3 of 4 characters left out]');
  expect(cutText('🎲b🎲', 2)).toBe('[cut: 5 of 5 characters left out]');
  expect(cutText('a🎲🎲b', 4)).toBe('a\n[cut: 4 of 6 characters left out]\nb');
});

// Goes red when the beginning is a slice: V8 then keeps the whole text in memory.
it('lets go of what it left out', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: 20 }, (_, i) => cutText(String(i).padEnd(2_000_000, 'x'), 100));
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10e6);
  expect(kept).toHaveLength(20);
});
