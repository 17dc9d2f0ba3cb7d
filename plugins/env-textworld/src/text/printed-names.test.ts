import { describe, expect, it } from 'vitest';

import { inWords, numberInWords } from './printed-names.js';

describe('names and numbers', () => {
  it('are listed without a comma before "and"', () => {
    expect([inWords([]), inWords(['a']), inWords(['a', 'b']), inWords(['a', 'b', 'c'])]).toEqual([
      'nothing',
      'a',
      'a and b',
      'a, b and c',
    ]);
  });

  it.each([
    [0, 'zero'],
    [-3, 'minus three'],
    [13, 'thirteen'],
    [40, 'forty'],
    [99, 'ninety-nine'],
    [100, 'one hundred'],
    [342, 'three hundred and forty-two'],
    [1005, 'one thousand and five'],
    [2310, 'two thousand, three hundred and ten'],
    [5_000_000, '5000000'],
  ])('%d is %s', (number, words) => {
    expect(numberInWords(number)).toBe(words);
  });
});
