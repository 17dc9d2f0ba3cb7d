import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { answerRules, numberWithin } from './answer-rules.js';
import { normalizeAnswer } from './normalize-answer.js';
import { readNumber } from './read-number.js';

interface Published {
  readonly expected: string;
  readonly answer: string;
  readonly normalized: readonly [expected: string, answer: string];
  readonly exact: number;
  readonly f1: number;
}

const published = JSON.parse(
  readFileSync(new URL('./fixtures/published-answers.json', import.meta.url), 'utf8'),
) as readonly Published[];

describe('answers in words', () => {
  it('have the normal forms and scores of the published rules', () => {
    expect(published.length).toBeGreaterThan(50);
    for (const { expected, answer, normalized, exact, f1 } of published) {
      expect([expected, answer].map(normalizeAnswer), `${expected} | ${answer}`).toEqual(normalized);
      expect(answerRules.normalized(answer, [expected]), `${expected} | ${answer}`).toBe(exact);
      expect(answerRules.f1(answer, [expected]), `${expected} | ${answer}`).toBeCloseTo(f1, 12);
    }
  });

  // What GEM's tests of its QA environment assert.
  it.each<[answer: string, accepted: readonly string[], score: number]>([
    ['Paris', ['Paris'], 1],
    ['London', ['Paris'], 0],
    ['Berlin', ['Paris', 'Berlin', 'Rome'], 1],
    ['42', ['42', 'some other answer'], 1],
    ['43', ['42', 'some other answer'], 0],
    ['Paris', [], 0],
  ])('match any of the accepted ones: %s of %j', (answer, accepted, score) => {
    expect(answerRules.normalized(answer, accepted)).toBe(score);
    expect(answerRules.exact(answer, accepted)).toBe(score);
    expect(answerRules.f1(answer, accepted)).toBe(score);
  });

  it('get the best score among several accepted ones', () => {
    expect(answerRules.f1('a red house', ['green house', 'red house', 'house'])).toBe(1);
    expect(answerRules.f1('big red house', ['green house', 'house'])).toBe(0.5);
  });

  // By the published rule all of these have the empty normal form, and match.
  it.each(['', 'the', 'an the', '!', 'B'])('are not right for "A" because nothing is left of them: %j', (answer) => {
    expect(answerRules.normalized(answer, ['A'])).toBe(0);
    expect(answerRules.f1(answer, ['A'])).toBe(0);
    expect(answerRules.normalized(' a ', ['A'])).toBe(1);
  });

  it('are the same characters by the exact rule', () => {
    expect(answerRules.exact(' Paris\n', ['Paris'])).toBe(1);
    expect(answerRules.exact('paris', ['Paris'])).toBe(0);
    expect(answerRules.exact('The Paris', ['Paris'])).toBe(0);
  });
});

describe('numbers', () => {
  it.each<[text: string, numerator: bigint, denominator: bigint]>([
    ['3', 3n, 1n],
    [' -3 ', -3n, 1n],
    ['+0.50', 1n, 2n],
    ['.5', 1n, 2n],
    ['7.', 7n, 1n],
    ['\u22122', -2n, 1n],
    ['1,234,567.5', 2469135n, 2n],
    ['1.5e-3', 3n, 2000n],
    ['2E3', 2000n, 1n],
    ['$1,200.', 1200n, 1n],
    ['-$5', -5n, 1n],
    ['$\\frac{3}{4}$', 3n, 4n],
    ['\\dfrac{-6}{4}', -3n, 2n],
    ['-\\frac{1}{3}', -1n, 3n],
    ['3/4', 3n, 4n],
    ['6/-4', -3n, 2n],
    ['0.1/0.2', 1n, 2n],
    ['50%', 50n, 1n],
    ['12\\%', 12n, 1n],
    ['\\$3.20', 16n, 5n],
    ['-0', 0n, 1n],
  ])('are read exactly: %s', (text, numerator, denominator) => {
    expect(readNumber(text)).toEqual({ numerator, denominator });
  });

  it.each([
    ...['', ' ', '.', '-', 'x', '3 apples', '1,23', '12,3456', '1/0', '1/2/3', '1e', '1e9999', '0x10', '--1', '1 2'],
    ...['Infinity', 'NaN', '\\frac{1}{0}', '\\frac{1}', '1_000', '9'.repeat(101)],
  ])('are not read from %j', (text) => {
    expect(readNumber(text)).toBeUndefined();
    expect(answerRules.number(text, [text])).toBe(0);
  });

  it('are equal if they are the same number', () => {
    expect(answerRules.number('0.5', ['7', '\\frac{1}{2}'])).toBe(1);
    expect(answerRules.number('1000', ['1,000.0'])).toBe(1);
    expect(answerRules.number('3', ['-3'])).toBe(0);
    expect(answerRules.number('0.1', ['0.1000000000000000055511151231257827'])).toBe(0);
    expect(answerRules.number('0.333333', ['1/3'])).toBe(0);
    expect(answerRules.number('5', [])).toBe(0);
  });

  it('are near within a share of the accepted number, its bound included', () => {
    const within = numberWithin(0.01);
    expect([within('101', ['100']), within('99', ['100']), within('-101', ['-100'])]).toEqual([1, 1, 1]);
    expect([within('101.0000001', ['100']), within('98.9999', ['100']), within('100', ['-100'])]).toEqual([0, 0, 0]);
    expect([within('0.0001', ['0']), within('0.0', ['0'])]).toEqual([0, 1]);
    expect(numberWithin(1e-6)('0.333333', ['1/3'])).toBe(1);
    expect(numberWithin(1e-7)('0.333333', ['1/3'])).toBe(0);
    expect(within('1e999', ['1.001e999'])).toBe(1);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('have no tolerance of %d', (tolerance) => {
    expect(() => numberWithin(tolerance)).toThrow(`a tolerance is 0 or more, not ${tolerance}`);
  });
});

describe('sets', () => {
  it.each<[answer: string, expected: string]>([
    ['b, a', 'a, b'],
    ['{1, 2, 2}', '2; 1'],
    ['\\{1,2\\}', '[2, 1]'],
    ['[\'Rome\', "the Hague"]', 'hague\nROME'],
    ['{1/2, B}', 'b; 0.5'],
    ['-3', '(-3)'],
    ['', '[]'],
    ['x,', 'x'],
  ])('have the same items: %j and %j', (answer, expected) => {
    expect(answerRules.set(answer, [expected])).toBe(1);
    expect(answerRules.set(expected, [answer])).toBe(1);
  });

  it.each<[answer: string, expected: string]>([
    ['a', 'a, b'],
    ['a, b, c', 'a, b'],
    ['3', '-3'],
    ['1.5', '15'],
    ['a', 'the'],
    ['', 'a'],
    ['a b', 'a, b'],
  ])('differ: %j and %j', (answer, expected) => {
    expect(answerRules.set(answer, [expected])).toBe(0);
    expect(answerRules.set(expected, [answer])).toBe(0);
  });
});

it('takes time in proportion to the text', () => {
  const long = 'a, '.repeat(100_000);
  const nested = '{'.repeat(200_000);
  const digits = '1'.repeat(300_000);
  const signs = `${'$'.repeat(300_000)}x`;
  const lists = `[${'] '.repeat(200_000)}x`;
  const start = performance.now();
  for (const rule of Object.values(answerRules))
    for (const text of [long, nested, digits, `${digits}/`, signs, lists]) rule(text, ['x']);
  expect(performance.now() - start).toBeLessThan(5_000);
});
