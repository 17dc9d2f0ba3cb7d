import { expect, it } from 'vitest';

import { TabularEncoder } from '../testing/tabular-encoder.js';
import { cutObservations, cutTokens, markTokens } from './cut-tokens.js';

const words = TabularEncoder.fromTexts('word', [
  'one two three four five six seven eight nine ten one',
  '[cut: 0 of left out]',
]);
const tokensIn = (text: string) => words.append(text).length - words.append('').length;

it('leaves a text of that many tokens as it is', () => {
  const text = 'one two three four five six seven eight nine ten';
  expect(cutTokens(text, 10, words)).toBe(text);
});

// Goes red if the mark does not count, or if it counts what is shown.
it('keeps both ends, and the result with its mark has at most so many tokens', () => {
  const text = Array.from({ length: 10 }, () => 'one two three four five six seven eight nine ten').join('\n');
  expect(tokensIn(text)).toBe(109);
  for (let longest = markTokens(words) + 1; longest < 109; longest += 1) {
    const cut = cutTokens(text, longest, words);
    const [, head, left, all, tail] = /^(.*)\n\[cut: (\d+) of (\d+) tokens left out\]\n(.*)$/s.exec(cut) ?? [];
    expect(text.startsWith(head!) && text.endsWith(tail!), cut).toBe(true);
    expect(tokensIn(cut)).toBeLessThanOrEqual(longest);
    // Nothing that would fit is left out: a mark has 11 tokens and two line ends.
    expect(tokensIn(cut)).toBeGreaterThan(longest - 3);
    expect(tokensIn(head!) + tokensIn(tail!) + Number(left)).toBe(Number(all));
    expect(Math.abs(tokensIn(head!) - tokensIn(tail!))).toBeLessThanOrEqual(2);
  }
});

it('tells the length of a text that was cut by characters before', () => {
  const cut = cutTokens('one two '.repeat(100), 100, words, 5000);
  expect(cut).toMatch(/^one two.*\[cut: \d+ of \d+ tokens of a text of 5000 characters left out\].*one two $/s);
});

// Goes red if an unknown character, which is decoded as another, ends what is kept.
it('keeps characters that the tokenizer does not know', () => {
  const letters = TabularEncoder.fromTexts('character', ['abc', '[cut: 0123456789 of tokens left out]\n']);
  const text = 'aé🎲b'.repeat(100);
  const cut = cutTokens(text, 100, letters);
  const [head, tail] = cut.split(/\n.*\n/);
  expect(text.startsWith(head!) && text.endsWith(tail!)).toBe(true);
  expect([...head!].length + [...tail!].length).toBeGreaterThan(50);
  expect(cut).not.toContain('\uFFFD');
});

it('cuts the observations of a game, and nothing without a limit', () => {
  const game = { observations: ['one', 'one two '.repeat(100)], texts: ['two'] };
  expect(cutObservations(game, undefined, words)).toBe(game);
  const { observations, texts } = cutObservations(game, 40, words);
  expect(observations).toEqual(['one', expect.stringContaining('[cut: ')]);
  expect(texts).toEqual(['two']);
});
