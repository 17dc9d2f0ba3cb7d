import { expect, it } from 'vitest';

import { shortKey } from './short-key.js';

it('is the end of a key that none of the others has', () => {
  const keys = ['stages.sft.steps', 'stages.rl.steps', 'algorithm.groupSize', 'seed'];
  expect(keys.map((key) => shortKey(key, keys))).toEqual(['sft.steps', 'rl.steps', 'groupSize', 'seed']);
  expect(keys.map((key) => shortKey(key, keys, 2))).toEqual(['sft.steps', 'rl.steps', 'algorithm.groupSize', 'seed']);
  expect(shortKey('algorithm.options.clip', ['algorithm.options.clip'], 2)).toBe('clip');
  expect(shortKey('a.b', ['a.b', 'c.a.b'])).toBe('a.b');
  expect(shortKey('groupSize', ['groupSize', 'size'])).toBe('groupSize');
});
