import { expect, it } from 'vitest';
import type { Action, Fact } from '../logic/logic.js';
import type { QuestChain } from './chain-options.js';
import { makeQuests } from './make-quests.js';

function action(rule: string): Action {
  const fact = (name: string): Fact => ({ name, entities: [] });
  return { rule, before: [fact(`before ${rule}`)], after: [fact(`after ${rule}`)] };
}

function chain(...steps: (readonly [rule: string, breadth: number])[]): QuestChain {
  return { facts: [], steps: steps.map(([rule, breadth]) => ({ action: action(rule), depth: 1, breadth })) };
}

it('ends a quest where another branch begins and where a chain ends, with all actions so far', () => {
  const quests = makeQuests([chain(['e', 1]), chain(['a', 2], ['b', 2], ['c', 1], ['d', 1])]);
  expect(quests.map(({ wins }) => wins.map(({ actions }) => actions.map(({ rule }) => rule).join('')))).toEqual([
    ['ab'],
    ['abcd'],
    ['abcde'],
  ]);
  expect(quests.map(({ wins }) => wins[0]?.condition)).toEqual([
    action('b').after,
    action('d').after,
    action('e').after,
  ]);
  expect(quests.every(({ reward, fails, optional }) => reward === 1 && fails.length === 0 && !optional)).toBe(true);
});
