import { spawnSync } from 'node:child_process';

import { expect, it } from 'vitest';

import { shellWord } from './shell-word.js';

it.each([
  'plain',
  '/a/b-c_d.e:f',
  '',
  'two words',
  "it's",
  '$(touch P)',
  '`touch P`',
  '"; touch P; "',
  "'; touch P; '",
  'a\\b',
  'a\nb; touch P',
  "tab\t, quote ', backslash \\ and\r\n",
  '\u001b[31m',
  '\u0085',
  '~',
  '=ls',
  'é ü 漢',
  '*?[a]{b,c}!d#e&f|g<h>i',
])('gives bash %j as one word on one line', (text) => {
  const word = shellWord(text);
  expect(word).not.toMatch(/\n/);
  const { stdout, status } = spawnSync('bash', ['-c', `printf '%s|' ${word}`], { encoding: 'utf8' });
  expect([stdout, status]).toEqual([`${text}|`, 0]);
});

it('leaves words that need no quotes as they are', () => {
  for (const text of ['runs/latest', '--output', 'a=b', '/x/y@1.0']) expect(shellWord(text)).toBe(text);
});
