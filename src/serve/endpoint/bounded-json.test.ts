import { describe, expect, it } from 'vitest';

import { parseBoundedJson } from './bounded-json.js';

const parse = (text: string) => parseBoundedJson(Buffer.from(text), { depth: 3, values: 8 });

describe('parseBoundedJson', () => {
  it('parses what is within its limits, and counts no signs inside of texts', () => {
    const value = { a: [[1, 2]], b: '[[[[{,,,,,,,,,', c: 'a "[[[[" \\', '[[[[': null };
    expect(parse(JSON.stringify(value))).toEqual(value);
  });

  it.each<[string, string]>([
    ['[[[[1]]]]', 'more than 3 arrays and objects within each other'],
    ['[1,2,3,4,5,6,7,8,9]', 'more than 8 values'],
    ['[{},{},{},{},{}]', 'more than 8 values'],
    ['{"a":', 'not JSON'],
    ['', 'not JSON'],
    ['"\\', 'not JSON'],
  ])('refuses %s', (text, words) => {
    expect(() => parse(text)).toThrow(words);
  });

  it('refuses what is far beyond its limits before it parses it', () => {
    for (const text of ['['.repeat(1e6), `[${'0,'.repeat(1e6)}`, '{"a":'.repeat(1e6)]) {
      expect(() => parse(text)).toThrow('the body has more than');
    }
  });
});
