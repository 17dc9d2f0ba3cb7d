import { expect, it } from 'vitest';

import { Recent } from './recent.js';

it('keeps the values that were asked for last', () => {
  const made: string[] = [];
  const recent = new Recent<string>(2);
  const get = (key: string) => recent.get(key, () => (made.push(key), `${key}!`));
  expect([get('a'), get('b'), get('a'), get('c'), get('a'), get('b')]).toEqual(['a!', 'b!', 'a!', 'c!', 'a!', 'b!']);
  // `a` was used after `b`, so `c` took the place of `b`.
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

it('keeps nothing of a value that could not be made', () => {
  const recent = new Recent<number>(2);
  recent.get('a', () => 1);
  recent.get('b', () => 2);
  const fail = () => {
    throw new Error('no');
  };
  expect(() => recent.get('c', fail)).toThrow('no');
  expect(recent.get('c', () => 3)).toBe(3);
  expect(recent.get('a', () => 5)).toBe(5);
  expect(recent.get('c', fail)).toBe(3);
});
