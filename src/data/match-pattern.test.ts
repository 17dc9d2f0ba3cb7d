import { expect, it } from 'vitest';

import { matchesPattern } from './match-pattern.js';

it.each([
  ['main/train-00000-of-00001.parquet', 'main/train-*', true],
  ['main/train-00000-of-00001.parquet', 'main/train-*.parquet', true],
  ['main/train-00000-of-00001.parquet', '*/train-0000[0-4]-of-?????.*', true],
  ['main/train-00000-of-00001.parquet', 'main/train-0000[1-9]*', false],
  ['main/train-00000-of-00001.parquet', 'main/train-0000[!1-9]*', true],
  ['main/train-00000-of-00001.parquet', 'main/train', false],
  ['main/train-00000-of-00001.parquet', '*.parquet', false],
  ['main/train-00000-of-00001.parquet', '**', true],
  ['main/train-00000-of-00001.parquet', '**/train-*', true],
  ['train-0.parquet', '**/train-*', true],
  ['a/b/c/train-0.parquet', '**/train-*', true],
  ['a/b/c/train-0.parquet', 'a/**/c/**/*', true],
  ['a/b/retrain-0.parquet', '**/train-*', false],
  ['data/x/y.jsonl', 'data/**', true],
  ['data2/y.jsonl', 'data/**', false],
  ['data/[a].jsonl', 'data/[[]a].jsonl', true],
  ['data/a.jsonl', 'data/[abc].json?', true],
  ['data/[.jsonl', 'data/[.jsonl', true],
  ['data/𝕏.jsonl', 'data/?.jsonl', true],
  ['a.b', 'a?b', true],
  ['axb', 'a.b', false],
  ['', '*', true],
])('%s fits %s: %s', (path, pattern, fits) => {
  expect(matchesPattern(path, pattern)).toBe(fits);
});

// Goes red if the pattern becomes a regular expression: that one would not end.
it('ends for patterns that are made to take long', () => {
  expect(matchesPattern(`${'a'.repeat(200)}b`, `${'*a'.repeat(100)}c`)).toBe(false);
  expect(matchesPattern(`${'a/'.repeat(200)}b`, `${'**/a/'.repeat(100)}c`)).toBe(false);
});
