import { describe, expect, it } from 'vitest';

import { NumpyRandom } from '../generate/numpy-random.js';
import { houseLogic } from '../logic/house-logic.js';
import type { Action } from '../logic/logic.js';
import { QuestTeller } from './quest-teller.js';

const names: Readonly<Record<string, string>> = {
  c_0: 'red chest',
  c_1: 'blue box',
  s_0: 'table',
  d_0: 'tin door',
  k_0: 'red key',
  o_0: 'lamp',
  f_0: 'apple',
};

const action = (rule: string, command: string): Action => ({ rule, command, before: [], after: [] });
const teller = (seed: number) =>
  new QuestTeller(
    houseLogic().types,
    (id) => (names[id] === undefined ? undefined : { name: names[id], indefinite: null, definite: null }),
    new NumpyRandom(seed),
  );

/** All texts for the actions. */
const tell = (...actions: Action[]): string[] => [
  ...new Set(Array.from({ length: 200 }, (_, seed) => teller(seed).steps(actions))),
];
const isOneSentence = (text: string): boolean => text.startsWith('Your task is') || text.split(' and ').length > 1;

describe('QuestTeller', () => {
  it('merges two actions about the same thing', () => {
    for (const [first, second, end] of [
      [action('unlock/c', 'unlock {c_0} with {k_0}'), action('open/c', 'open {c_0}'), ' and open it.'],
      [action('open/c', 'open {c_0}'), action('take/c', 'take {o_0} from {c_0}'), ' and take the lamp from it.'],
      [
        action('take/s', 'take {o_0} from {s_0}'),
        action('insert', 'insert {o_0} into {c_0}'),
        ' it into the red chest.',
      ],
      [action('take', 'take {f_0}'), action('eat', 'eat {f_0}'), ' and eat it.'],
      [action('open/d', 'open {d_0}'), action('go/east', 'go east'), ' and go east.'],
      [action('go/north', 'go north'), action('go/east', 'go east'), ' north and then east.'],
    ] as const) {
      const texts = tell(first, second);
      expect([end, texts.some((text) => text.endsWith(end))]).toEqual([end, true]);
      expect([end, texts.some((text) => /(?:Finally|Then|After that), [^.]*\.$/.test(text))]).toEqual([end, true]);
    }
  });

  it('does not merge actions about different things', () => {
    for (const [first, second] of [
      [action('unlock/c', 'unlock {c_0} with {k_0}'), action('open/c', 'open {c_1}')],
      [action('open/c', 'open {c_0}'), action('take/c', 'take {o_0} from {c_1}')],
      [action('take/s', 'take {o_0} from {s_0}'), action('put', 'put {k_0} on {s_0}')],
      [action('go/north', 'go north'), action('open/d', 'open {d_0}')],
    ] as const) {
      expect(tell(first, second).filter(isOneSentence)).toEqual([]);
    }
  });

  it('tells every action in several ways, with the right preposition', () => {
    const fromContainer = tell(action('take/c', 'take {o_0} from {c_0}')).join(' ');
    expect(fromContainer).toMatch(/take the lamp out of the red chest/);
    const fromSupporter = tell(action('take/s', 'take {o_0} from {s_0}')).join(' ');
    expect(fromSupporter).not.toMatch(/out of/);
    for (const [rule, command] of [
      ['close/d', 'close {d_0}'],
      ['lock/c', 'lock {c_0} with {k_0}'],
      ['drop', 'drop {o_0}'],
      ['put', 'put {o_0} on {s_0}'],
    ] as const) {
      const texts = tell(action(rule, command));
      expect(texts.length).toBeGreaterThan(4);
      for (const text of texts) expect(text).toMatch(/^[A-Z][^.]*\.$/);
    }
  });

  it('says what it has no sentence for as the command does', () => {
    expect(tell(action('chop', 'chop {f_0} with {o_0}')).join(' ')).toContain('chop the apple with the lamp.');
    expect(tell(action('make/recipe/1', 'constructor'))).toContain('Your task is to constructor.');
    expect(teller(1).steps([])).toBe('');
  });
});
