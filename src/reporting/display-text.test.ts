import { expect, it } from 'vitest';

import { displayWidth, fitText, truncateText, visibleText, wrapText } from './display-text.js';

it('measures columns, not code units', () => {
  expect(displayWidth('größe')).toBe(5);
  expect(displayWidth('e\u0301')).toBe(1);
  expect(displayWidth('数字')).toBe(4);
  expect(displayWidth('🎯')).toBe(2);
  expect(fitText('数字', 3)).toBe('数…');
  expect(fitText('ab', 4)).toBe('ab  ');
  expect(truncateText('abcdef', 4)).toBe('abc…');
});

it('lets no control sequence through', () => {
  expect(visibleText('\u001b[31mred\u0007\r\n\u009b1m\u202e')).toBe('␛[31mred␇␍\n�1m�');
  expect(wrapText('a\u001b]0;title\u0007b', 20)).toEqual(['a␛]0;title␇b']);
});

it('breaks between words, and inside those that are too long', () => {
  expect(wrapText('Guess my number between 4 and 33.', 12)).toEqual(['Guess my', 'number', 'between 4', 'and 33.']);
  expect(wrapText('abcdefgh ij', 3)).toEqual(['abc', 'def', 'gh', 'ij']);
  expect(wrapText('数字数字', 3)).toEqual(['数', '字', '数', '字']);
  expect(wrapText('数', 1)).toEqual(['数', '']);
  expect(wrapText('', 10)).toEqual(['']);
  for (const line of wrapText('one two three '.repeat(50), 17)) expect(displayWidth(line)).toBeLessThanOrEqual(17);
});
