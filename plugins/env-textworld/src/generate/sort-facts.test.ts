import { expect, it } from 'vitest';
import type { Fact } from '../logic/logic.js';
import { sortFacts } from './sort-facts.js';

function fact(name: string, ...ids: string[]): Fact {
  return { name, entities: ids.map((id) => ({ id, type: id.slice(0, 1) })) };
}

it('sorts by name, then by ids as texts, and leaves its input alone', () => {
  const facts = [fact('on', 'o_0', 's_0'), fact('at', 'o_2', 'r_0'), fact('at', 'o_10', 'r_1'), fact('at', 'P', 'r_2')];
  const before = [...facts];
  expect(sortFacts(facts)).toEqual([facts[3], facts[2], facts[1], facts[0]]);
  expect(facts).toEqual(before);
});

it('puts fewer entities before more, and compares types last', () => {
  const kinds = ['a', 'b'].map((type) => ({ name: 'x', entities: [{ id: 'e', type }] }));
  expect(sortFacts([kinds[1]!, kinds[0]!, fact('x')])).toEqual([fact('x'), kinds[0], kinds[1]]);
});
