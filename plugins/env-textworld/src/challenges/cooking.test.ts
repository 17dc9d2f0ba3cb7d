import { describe, expect, it } from 'vitest';

import { subSeeds } from '../generate/seeds.js';
import { ChallengeError } from './challenge-error.js';
import { foods } from './cooking-foods.js';
import type { CookingOptions } from './cooking-options.js';
import { splitFoods, trainFoodPreparations } from './cooking-splits.js';
import { makeCooking } from './cooking.js';

const easy: CookingOptions = {
  recipe: 1,
  take: 1,
  go: 1,
  open: false,
  cook: false,
  cut: false,
  drop: false,
  recipeSeed: 0,
  split: '',
  compat: 'corrected',
};
const hard: CookingOptions = { ...easy, recipe: 3, take: 3, go: 12, open: true, cook: true, cut: true };
const make = (options: Partial<CookingOptions>, seed = 1) => makeCooking(subSeeds(seed), { ...easy, ...options });
const factsOf = (options: Partial<CookingOptions>, seed = 1): string[] =>
  make(options, seed).facts.map(({ name, entities }) => `${name}(${entities.map(({ id }) => id).join(',')})`);

describe('makeCooking', () => {
  it('refuses options that do not go together', () => {
    expect(() => make({ recipe: 0 })).toThrow('recipe must be 1, 2, 3, 4 or 5');
    expect(() => make({ recipe: 6 })).toThrow(ChallengeError);
    expect(() => make({ recipe: 2, take: 3 })).toThrow('take must be 0 to 2');
    expect(() => make({ go: 7 })).toThrow('go must be 1, 6, 9 or 12');
    expect(() => make({ take: 0, recipeSeed: 5 })).toThrow('needs take');
    expect(() => make({ recipeSeed: -1 })).toThrow('recipeSeed must be');
    expect(() => make({ split: 'dev' as 'test' })).toThrow('split must be');
  });

  it('says which food makes a seed impossible, unless corrected', () => {
    const refusals = (options: Partial<CookingOptions>): string[] => {
      const messages: string[] = [];
      for (let seed = 0; seed < 20; seed++) {
        try {
          make({ go: 12, cut: true, ...options }, seed);
        } catch (error) {
          expect(error).toBeInstanceOf(ChallengeError);
          messages.push((error as Error).message);
        }
      }
      return messages;
    };
    expect(refusals({})).toEqual([]);
    expect(refusals({ compat: 'textworld', cook: true })).toEqual([]);
    expect(refusals({ compat: 'textworld', go: 6 })).toEqual([]);
    const messages = refusals({ compat: 'textworld' });
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) expect(message).toMatch(/needs [a-z ]+, which cannot be cut/);
  });

  it('writes the whole recipe into the cookbook', () => {
    const { facts, words } = make({ ...hard });
    const cookbook = Array.from(words.values()).find(({ name }) => name === 'cookbook');
    const text = cookbook?.description ?? '';
    const verbs: Record<string, string> = { chopped: 'chop', sliced: 'slice', diced: 'dice', grilled: 'grill' };
    Object.assign(verbs, { fried: 'fry', roasted: 'roast' });
    const bases = facts.filter(({ name }) => name === 'base').map(({ entities }) => entities.map(({ id }) => id));
    expect(bases).toHaveLength(3);
    for (const [food = '', ingredient = ''] of bases) {
      const name = words.get(food)?.name ?? '?';
      expect(text).toContain(`\n  ${name}\n`);
      const wanted = facts.filter(({ entities }) => entities.length === 1 && entities[0]?.id === ingredient);
      expect(wanted).toHaveLength(2);
      for (const fact of wanted) expect(text).toContain(`\n  ${verbs[fact.name] ?? '?'} the ${name}\n`);
    }
    expect(text.endsWith('\n  prepare meal')).toBe(true);
  });

  it('closes doors and containers only with open', () => {
    expect(factsOf({ ...hard }).filter((fact) => fact.startsWith('open('))).toEqual([]);
    expect(factsOf({ ...hard, open: false }).filter((fact) => fact.startsWith('closed('))).toEqual([]);
  });

  it('limits the inventory only with drop', () => {
    const slots = (options: Partial<CookingOptions>) => factsOf(options).filter((fact) => fact.includes('(slot_'));
    expect(slots({ ...hard })).toEqual([]);
    expect(slots({ ...hard, drop: true })).toEqual(['free(slot_0)', 'free(slot_1)', 'free(slot_2)']);
    expect(slots({ drop: true, cut: true, take: 0 })).toEqual(['free(slot_1)', 'used(slot_0)']);
    expect(make({ ...hard, drop: true }).logic).not.toBe(make({ ...hard }).logic);
  });

  it('draws another recipe for the same world with another recipe seed', () => {
    const world = (recipeSeed: number) =>
      factsOf({ ...hard, recipeSeed }).filter((fact) => /^(at|in|on)\([fs]_/.test(fact));
    const recipe = (recipeSeed: number) => factsOf({ ...hard, recipeSeed }).filter((fact) => fact.startsWith('base('));
    expect(world(3)).toEqual(world(4));
    expect(recipe(3)).not.toEqual(recipe(4));
  });

  it('uses only foods and preparations of its split', () => {
    for (let seed = 0; seed < 30; seed++) {
      const { facts, words } = make({ ...hard, split: 'test' }, seed);
      for (const { name, entities } of facts) {
        if (name !== 'base') continue;
        const food = words.get(entities[0]?.id ?? '')?.name ?? '';
        if (splitFoods.test.includes(food)) continue;
        const is = facts.filter((fact) => fact.entities.length === 1 && fact.entities[0] === entities[1]);
        const letters = is.map((fact) => (fact.name === 'raw' ? 'w' : fact.name.charAt(0))).sort();
        const allowed = (trainFoodPreparations[food]?.test ?? '').split(' ').map((pair) => [...pair].sort().join(''));
        expect(allowed).toContain(letters.join(''));
      }
    }
  });

  it('has no fact twice', () => {
    for (let seed = 0; seed < 20; seed++) {
      const facts = factsOf({ ...hard, cook: seed % 2 === 0, cut: seed % 3 === 0, go: 6, drop: seed % 5 === 0 }, seed);
      expect(new Set(facts).size).toBe(facts.length);
    }
  });
});

describe('the foods', () => {
  it('are in exactly one split each', () => {
    const all = [...splitFoods.train, ...splitFoods.valid, ...splitFoods.test];
    expect([...all].sort()).toEqual([...foods.keys()].sort());
    expect(Object.keys(trainFoodPreparations).sort()).toEqual([...splitFoods.train].sort());
  });

  it('have other preparations in each split, unless they have only one', () => {
    for (const [food, bySplit] of Object.entries(trainFoodPreparations)) {
      const pairs = Object.values(bySplit).flatMap((letters) => letters.split(' '));
      if (pairs.some((pair) => pair !== 'wu')) expect([food, new Set(pairs).size]).toEqual([food, pairs.length]);
    }
  });
});
