import { comparableAnswer } from './normalize-answer.js';
import { readNumber, type Fraction } from './read-number.js';

/** How well an answer fits the best of the accepted ones, in [0, 1]; 0 where none is accepted. */
export type AnswerRule = (answer: string, accepted: readonly string[]) => number;

/** Rules by name. All but `f1` give 0 or 1. They take the answer alone: to find it in a longer text comes before. */
export const answerRules = {
  /** The same characters, without the white space around them. */
  exact: best((answer, expected) => Number(answer.trim() === expected.trim())),
  /**
   * The same words: equal normal forms (see `normalizeAnswer`). SQuAD's exact match, and `em_check` of GEM. It differs
   * where the normal form is empty: there, texts in lower case are compared.
   */
  normalized: best((answer, expected) => Number(comparableAnswer(answer) === comparableAnswer(expected))),
  /** The same number, exactly (see `readNumber`): `0.50` is `1/2`. A text that is no number equals nothing. */
  number: numberWithin(0),
  /**
   * The same items in any order, however often each is named. Commas, semicolons and lines separate items, so numbers
   * have no thousands separators. Brackets around the whole do not count. Items are compared as numbers, or as words:
   * `{1/2, B}` is `b; 0.5`.
   */
  set: best((answer, expected) => Number(isSameSet(itemsOf(answer), itemsOf(expected)))),
  /** F1 of the words of both normal forms, as SQuAD's: the harmonic mean of precision and recall, with repetitions. */
  f1: best((answer, expected) => wordF1(comparableAnswer(answer).split(' '), comparableAnswer(expected).split(' '))),
} as const satisfies Readonly<Record<string, AnswerRule>>;

/**
 * A rule for numbers that were computed.
 *
 * @param tolerance the largest difference, as a share of the accepted number: 0.01 is one percent of it
 * @throws RangeError if it is negative or no number
 */
export function numberWithin(tolerance: number): AnswerRule {
  const share = readNumber(String(tolerance));
  if (share === undefined || tolerance < 0) throw new RangeError(`a tolerance is 0 or more, not ${tolerance}`);
  return best((answer, expected) => {
    const [one, other] = [readNumber(answer), readNumber(expected)];
    return Number(one !== undefined && other !== undefined && isNear(one, other, share));
  });
}

/** The best score of an answer among the accepted ones. */
function best(score: (answer: string, expected: string) => number): AnswerRule {
  return (answer, accepted) => accepted.reduce((most, expected) => Math.max(most, score(answer, expected)), 0);
}

/** |one - other| <= share * |other|, in whole numbers. */
function isNear(one: Fraction, other: Fraction, share: Fraction): boolean {
  const difference = one.numerator * other.denominator - other.numerator * one.denominator;
  return size(difference) * share.denominator <= share.numerator * size(other.numerator) * one.denominator;
}

function size(value: bigint): bigint {
  return value < 0n ? -value : value;
}

const brackets = /^\s*(?:\[([^]*)\]|\{([^]*)\}|\\\{([^]*)\\\}|\(([^]*)\))\s*$/;

/** The items of a list, each in a form that is the same for equal items. */
function itemsOf(text: string): ReadonlySet<string> {
  const inside = brackets
    .exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
  const items = (inside ?? text).split(/[,;\n]/).map((item) => item.trim());
  return new Set(items.filter(Boolean).map((item) => keyOfNumber(item) ?? `words ${comparableAnswer(item)}`));
}

function keyOfNumber(text: string): string | undefined {
  const value = readNumber(text);
  return value && `${value.numerator}/${value.denominator}`;
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((item) => other.has(item));
}

function wordF1(words: readonly string[], expected: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of expected) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of words) {
    const count = left.get(word) ?? 0;
    if (count > 0) shared += 1;
    left.set(word, count - 1);
  }
  return (2 * shared) / (words.length + expected.length);
}
