import { describe, expect, it } from 'vitest';

import type { CompletedEpisode } from '../contracts/trajectory.js';
import {
  affordableDemonstrations,
  affordableEpisodes,
  expectedEpisodes,
  payForGroups,
  stageBudgets,
} from './budget.js';

const facts = { success: false, invalid: false };

/** An episode whose turns have these numbers of tokens. */
function episode(...tokens: number[]): CompletedEpisode {
  return {
    iteration: 1,
    task: 't',
    group: 0,
    member: 0,
    status: 'completed',
    turns: tokens.map((count) => ({
      observation: '',
      text: '',
      cut: false,
      reward: 0,
      components: {},
      native: 0,
      facts,
      sampled: [0, count],
    })),
    finalObservation: '',
    terminated: true,
    success: false,
    return: 0,
    retries: 0,
  };
}

describe('expectedEpisodes', () => {
  it('prices an episode by what it is expected to take', () => {
    expect(expectedEpisodes({ units: 100, costs: { turn: 2 } }, 4, 30)).toBe(12);
    expect(expectedEpisodes({ units: 100, costs: { token: 0.5 } }, 4, 30)).toBe(6);
    expect(expectedEpisodes({ units: 100, costs: { episode: 1 } }, 4, 30)).toBe(100);
    expect(expectedEpisodes({ units: 100, costs: { demonstration: 1 } }, 4, 30)).toBe(Infinity);
  });
});

describe('stageBudgets', () => {
  const costs = { demonstration: 10, episode: 1 };

  // The rows of table 9 of the Practitioner's Guide: demonstrations and episodes of 1,000 units.
  it.each([
    [0, 0, 1000],
    [0.2, 20, 800],
    [0.4, 40, 600],
    [0.6, 60, 400],
    [0.8, 80, 200],
    [1, 100, 0],
  ])('buys what the Guide bought: %f for demonstrations', (sft, demonstrations, episodes) => {
    const budgets = stageBudgets({ units: 1000, costs, split: { sft } }, ['sft', 'rl']);
    expect(affordableDemonstrations(budgets.get('sft')!)).toBe(demonstrations);
    expect(affordableEpisodes(budgets.get('rl')!, 0)).toBe(episodes);
  });

  // Mutation: leave small units as they are; 1 - 0.7 - 0.2 - 0.1 is 2.8e-17.
  it('gives nothing where shares leave nothing, whatever binary fractions make of them', () => {
    for (const split of [
      { a: 0.1, b: 0.2, c: 0.7 },
      { a: 0.7, b: 0.2, c: 0.1 },
      { a: 1, b: 0, c: 0 },
    ]) {
      const budgets = stageBudgets({ units: 1000, costs, split }, ['a', 'b', 'c', 'rest']);
      expect(budgets.get('rest')!.units).toBe(0);
    }
  });

  it('divides what is left evenly', () => {
    const budgets = stageBudgets({ units: 100, costs, split: { a: 0.5 } }, ['a', 'b', 'c']);
    expect([...budgets.values()].map(({ units }) => units)).toEqual([50, 25, 25]);
    expect(stageBudgets({ units: 100, costs }, ['only']).get('only')!.units).toBe(100);
  });

  // Mutation: floor without the tolerance; 0.29 * 100 is 28.999999999999996.
  it('loses nothing to binary fractions', () => {
    const { sft } = Object.fromEntries(
      stageBudgets({ units: 100, costs: { demonstration: 1 }, split: { sft: 0.29 } }, ['sft']),
    );
    expect(affordableDemonstrations(sft!)).toBe(29);
  });

  it('buys any number of what costs nothing', () => {
    expect(affordableEpisodes({ units: 5, costs: { demonstration: 1 } }, 0)).toBe(Infinity);
  });
});

describe('payForGroups', () => {
  const budget = { units: 20, costs: { episode: 1, turn: 2, token: 0.5 } };
  const group = [episode(2, 2), episode(1)]; // 1 + 4 + 2, and 1 + 2 + 0.5

  it('adds what judges read and wrote', () => {
    const judged = {
      ...episode(1),
      verdicts: [
        { judge: 'judged', score: 1, tokens: 40 },
        { judge: 'tests', score: 1 },
      ],
    };
    const priced = { units: 20, costs: { episode: 1, judgeToken: 0.1 } };
    expect(payForGroups(priced, 0, [[judged], [episode(1)]])).toMatchObject({ spent: 6, overdrawn: false });
    expect(
      payForGroups(
        priced,
        0,
        Array.from({ length: 5 }, () => [judged]),
      ),
    ).toMatchObject({ spent: 20, overdrawn: true });
  });

  it('adds up episodes, turns and tokens', () => {
    expect(payForGroups(budget, 0, [group])).toEqual({ groups: [group], spent: 10.5, overdrawn: false });
  });

  // Mutation: pay first and compare afterwards, so that the last group is bought on credit.
  it('ends before the group that would overdraw, even where a later one would fit', () => {
    const small = [episode(1)];
    expect(payForGroups(budget, 0, [group, group, small])).toEqual({ groups: [group], spent: 10.5, overdrawn: true });
    expect(payForGroups({ ...budget, units: 21 }, 0, [group, group])).toMatchObject({ spent: 21, overdrawn: false });
    expect(payForGroups(budget, 18, [group])).toEqual({ groups: [], spent: 18, overdrawn: true });
  });
});
