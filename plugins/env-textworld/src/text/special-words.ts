import { descriptors, numberWords, pronounWords, specialWords } from './grammar.js';
import type { Story } from './story.js';
import { cookings, cuttings } from './story-world.js';

/** Numbers of words that the parser knows by themselves. */
export interface SpecialWords {
  readonly again: readonly number[];
  readonly all: readonly number[];
  readonly and: readonly number[];
  readonly but: readonly number[];
  readonly me: readonly number[];
  readonly of: readonly number[];
  readonly oops: readonly number[];
  readonly undo: readonly number[];
  readonly other: readonly number[];
  readonly pronouns: readonly number[];
  readonly numbers: readonly number[];
  readonly descriptors: readonly number[];
  readonly comma: number;
  readonly then: number;
  /** Verbs that are printed in other words. */
  readonly spelledOut: ReadonlyMap<number, string>;
  /** Verbs that may also be part of an answer. */
  readonly answers: ReadonlySet<number>;
  /** In the order of `cookings` and `cuttings`; empty in games without cooking. */
  readonly cookings: readonly number[];
  readonly cuttings: readonly number[];
}

const spelledOut = {
  i: 'take inventory',
  inv: 'take inventory',
  inventory: 'take inventory',
  l: 'look',
  x: 'examine',
  z: 'wait',
};

const known = new WeakMap<Story, SpecialWords>();

export function specialWordsOf(story: Story): SpecialWords {
  let words = known.get(story);
  if (words === undefined) known.set(story, (words = findWords(story)));
  return words;
}

function findWords(story: Story): SpecialWords {
  const find = (word: string): number => story.vocabulary.find(word);
  const all = (words: readonly string[]): readonly number[] => words.map(find);
  const add = (words: readonly string[]): readonly number[] => words.map((word) => story.vocabulary.add(word));
  return {
    again: all(specialWords.again),
    all: all(specialWords.all),
    and: all(specialWords.and),
    but: all(specialWords.but),
    me: all(specialWords.me),
    of: all(specialWords.of),
    oops: all(specialWords.oops),
    undo: all(specialWords.undo),
    other: all(specialWords.other),
    pronouns: all(pronounWords),
    numbers: all(numberWords),
    descriptors: all(descriptors.map(({ word }) => word)),
    comma: find(','),
    then: find('then'),
    spelledOut: new Map(Object.entries(spelledOut).map(([word, text]) => [find(word), text])),
    answers: new Set(all(['long', 'short', 'normal', 'brief', 'full', 'verbose'])),
    cookings: story.cooks ? add(cookings) : [],
    cuttings: story.cooks ? add(cuttings) : [],
  };
}
