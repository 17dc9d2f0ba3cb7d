import { describe, expect, it } from 'vitest';

import { subSeeds } from '../generate/seeds.js';
import { makeSimple, type SimpleOptions } from './simple.js';

const make = (options: Partial<SimpleOptions>, seed = 1) =>
  makeSimple(subSeeds(seed), { rewards: 'dense', goal: 'detailed', test: false, ...options });

describe('makeSimple', () => {
  it('refuses options that do not exist', () => {
    expect(() => make({ rewards: 'many' as 'dense' })).toThrow('rewards must be dense, balanced, sparse, not "many"');
    expect(() => make({ goal: '' as 'none' })).toThrow('goal must be');
  });

  it('has the lengths, scores and steps per reward of the original over 150 seeds', () => {
    const shares = (rewards: SimpleOptions['rewards']) => {
      const lengths: number[] = [];
      let stepsPerReward = 0;
      for (let seed = 1; seed <= 150; seed++) {
        const { walkthrough, quests } = make({ rewards }, seed);
        const length = walkthrough?.length ?? 0;
        lengths.push(length);
        stepsPerReward += length / quests.reduce((sum, { reward }) => sum + reward, 0) / 150;
      }
      return [
        [8, 9, 12].map((length) => lengths.filter((other) => other === length).length),
        stepsPerReward.toFixed(2),
      ];
    };
    expect(shares('sparse')).toEqual([[48, 28, 74], '10.16']);
    expect(shares('balanced')).toEqual([[48, 28, 74], '2.89']);
    expect(shares('dense')).toEqual([[48, 28, 74], '1.17']);
  });

  it('tells every step, the food, or nothing', () => {
    expect(make({ goal: 'detailed' }).objective).toEqual({ kind: 'steps' });
    expect(make({ goal: 'none' }).objective).toEqual({ kind: 'text', text: '' });
    const { objective, quests, words } = make({ goal: 'brief' });
    const food = quests.at(-1)?.fails[0]?.condition[0]?.entities[0]?.id ?? '';
    expect(objective.kind === 'text' && objective.text).toContain(`grilled ${words.get(food)?.name}.`);
    const note = Array.from(words.values()).find(({ name }) => name === 'note');
    expect(note?.description).toBe(objective.kind === 'text' ? objective.text : '?');
  });

  it('wants a food of its own in test games', () => {
    const wanted = new Set<string | undefined>();
    for (let seed = 0; seed < 20; seed++) {
      const { quests, words } = make({ test: true }, seed);
      wanted.add(words.get(quests.at(-1)?.fails[0]?.condition[0]?.entities[0]?.id ?? '')?.name);
    }
    expect([...wanted].sort()).toEqual(['carrot', 'garlic', 'kiwi']);
  });

  it('gives each reward the actions up to it', () => {
    const { quests } = make({ rewards: 'dense' });
    const lengths = quests.flatMap(({ wins }) => wins.map(({ actions }) => actions.length));
    expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
    expect(lengths[0]).toBe(1);
    expect(quests.at(-2)?.wins[0]?.actions.at(-1)?.rule).toBe('put');
  });
});
