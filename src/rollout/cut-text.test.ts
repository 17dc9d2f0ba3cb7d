import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, it } from 'vitest';

import { cutText } from './cut-text.js';

it('says how much it left out, and never cuts a character in two', () => {
  expect(cutText('abc', 3)).toBe('abc');
  expect(cutText('abcd', 2)).toBe('ab\n[cut: 2 of 4 characters]');
  expect(cutText('a🎲b', 2)).toBe('a\n[cut: 1 of 4 characters]');
  expect(cutText('\ud800\ud801cd', 2)).toBe('\ud800\n[cut: 1 of 4 characters]');
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
