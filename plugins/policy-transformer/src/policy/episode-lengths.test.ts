import { expect, it } from 'vitest';

import { episodeLengths } from './episode-lengths.js';

/** One token for each character. */
const encoder = {
  begin: (system: string, observation: string) => Array.from(system + observation, () => 0),
  append: (observation: string) => Array.from(observation, () => 0),
};
const load = {
  sequences: 1,
  turns: 10,
  actionTokens: 4,
  rows: 1,
  evaluates: false,
  references: 0,
  samplings: [],
  optimizers: [],
};

it('takes all turns, the longest actions, and observations of usual length', () => {
  const conversations = [
    { system: 'abc', observations: ['de', '12', '1234'], texts: ['x', 'x'] },
    { system: 'abc', observations: ['d', '1', '1'], texts: ['x', 'x'] },
  ];
  // 5 + 10 * (4 + 1 + 3), and 4 + 10 * (4 + 1 + 1)
  const lengths = episodeLengths({ ...load, conversations }, encoder, 1000);
  expect(lengths).toEqual({ longest: 85, usual: 75, sampled: 50 });
  expect(episodeLengths({ ...load, conversations }, encoder, 40)).toEqual({ longest: 40, usual: 40, sampled: 39 });
});

it('assumes lengths if no episode was played', () => {
  expect(episodeLengths({ ...load, conversations: [] }, encoder, 1000).longest).toBe(64 + 10 * (4 + 1 + 16));
});
