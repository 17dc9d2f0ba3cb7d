import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { Judge, JudgedEpisode } from '../contracts/reward.js';
import { judgeKit } from './judge-kit.js';

const last = ({ turns }: JudgedEpisode, score: number) =>
  turns.map((_, turn) => (turn === turns.length - 1 ? score : 0));

/** Half a point for the shortest text of a group. */
const good: Judge = {
  density: 'outcome',
  bounds: () => ({ success: [0, 0.5], failure: [0, 0.5] }),
  judge: (group, { signal }) => {
    signal.throwIfAborted();
    return group.map((episode) => ({ scores: last(episode, 0.5) }));
  },
};
const check = async (changes: Partial<Judge>) =>
  (await judgeKit.check({ create: () => ({ ...good, ...changes }), options: {} }, { groups: 3 })).map(({ id }) => id);

/** One for each check, which must find it. */
const broken: { readonly [id: string]: Partial<Judge> } = {
  create: { density: 'sparse' as never },
  judgements: { judge: (group) => group.map(({ turns }) => ({ scores: turns.map(() => NaN) })) },
  interrupted: { judge: () => sleep(3000, []) },
  bounds: { bounds: () => ({ success: [1, 0], failure: [0, 1] }) },
};

describe('the kit of judges', () => {
  it('finds nothing in a judge of groups, in one of single episodes, and in one whose server is not there', async () => {
    expect(await check({})).toEqual([]);
    expect(await check({ alone: true })).toEqual([]);
    const gone = () => Promise.reject(Object.assign(new Error('nobody listens'), { code: 'UNAVAILABLE' }));
    expect(await check({ judge: gone })).toEqual([]);
  });

  it('has a broken judge for each check', () => {
    expect(Object.keys(broken)).toEqual(judgeKit.checks.map(({ id }) => id));
  });

  it.each(Object.entries(broken))('`%s` catches its broken judge', { timeout: 20_000 }, async (id, changes) => {
    expect(await check(changes)).toContain(id);
  });

  it.each([
    [
      'too few judgements',
      { judge: (group: readonly JudgedEpisode[]) => group.slice(1).map((one) => ({ scores: last(one, 0) })) },
    ],
    ['a return outside its bounds', { bounds: () => ({ success: [0, 0.4], failure: [0, 0.5] }) as const }],
    [
      'rewards in every turn',
      { judge: (group: readonly JudgedEpisode[]) => group.map(({ turns }) => ({ scores: turns.map(() => 0.01) })) },
    ],
  ])('finds %s', async (_what, changes) => {
    expect(await check(changes)).toEqual(['judgements']);
  });

  it('is not for schemes', async () => {
    const scheme = { density: 'outcome', score: () => 0, bounds: good.bounds } as const;
    const found = await judgeKit.check({ create: () => scheme, options: {} });
    expect(found[0]?.message).toContain('`rewardKit` checks');
  });
});
