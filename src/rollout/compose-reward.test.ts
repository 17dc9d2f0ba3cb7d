import { describe, expect, it } from 'vitest';

import type { RewardScheme, RewardTurn } from '../contracts/reward.js';
import { composeReward } from './compose-reward.js';

const turn: RewardTurn = {
  text: 'stop',
  facts: { success: true, invalid: false },
  native: 0,
  malformed: false,
  cut: false,
  tokens: 4,
  terminated: true,
  truncated: false,
  index: 0,
};

const outcome: RewardScheme = {
  density: 'outcome',
  score: ({ facts }) => Number(facts.success),
  bounds: () => ({ success: [1, 1], failure: [0, 0] }),
};
const tokens: RewardScheme = {
  density: 'turn',
  score: (of) => of.tokens,
  bounds: ({ horizon }) => ({ success: [1, 8 * horizon], failure: [1, 8 * horizon] }),
};

describe('composeReward', () => {
  const reward = composeReward([
    { name: 'outcome', weight: 2, scheme: outcome },
    { name: 'cost', weight: -0.25, scheme: tokens },
  ]);

  it('adds weighted terms and keeps their parts', () => {
    expect(reward.score(turn)).toEqual({ reward: 1, components: { outcome: 2, cost: -1 } });
    expect(composeReward([]).score(turn)).toEqual({ reward: 0, components: {} });
  });

  it('adds the bounds, the right way round under a negative weight', () => {
    expect(reward.bounds({ horizon: 3 })).toEqual({ success: [-4, 1.75], failure: [-6, -0.25] });
  });

  it('takes the widest bounds of each term over several contexts', () => {
    const late: RewardScheme = {
      ...outcome,
      bounds: ({ discount = 1 }) => ({ success: [discount, 1], failure: [0, 0] }),
    };
    const price: RewardScheme = {
      ...tokens,
      bounds: ({ discount = 1 }) => ({ success: [-1 - discount, -1], failure: [-1 - discount, 0] }),
    };
    const both = composeReward([
      { name: 'late', weight: 1, scheme: late },
      { name: 'price', weight: 1, scheme: price },
    ]);
    // Goes red when bounds of whole contexts are compared: with either discount, the lowest success is -1.
    expect(both.bounds({ horizon: 2, discount: 0.5 }, { horizon: 2, discount: 0.75 })).toEqual({
      success: [0.5 - 1.75, 0],
      failure: [-1.75, 0],
    });
  });

  it('names the term whose number is none', () => {
    const broken = composeReward([{ name: 'broken', weight: 1, scheme: { ...outcome, score: () => Number.NaN } }]);
    expect(() => broken.score(turn)).toThrow('The reward term "broken" returned NaN.');
  });
});
