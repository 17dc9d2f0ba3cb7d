import { describe, expect, it } from 'vitest';

import type { Curriculum, TaskPool } from '../contracts/curriculum.js';
import type { JsonObject } from '../contracts/json.js';
import { curriculumKit } from './curriculum-kit.js';

let calls = 0;

/** Hands out the pools in turn. */
function right(pools: readonly [TaskPool, ...TaskPool[]]): Curriculum {
  return {
    initialState: { solved: 0 },
    choose: (first, count) =>
      Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const place = first + index;
          const pool = pools[place % pools.length]!;
          const [task = ''] = await pool.order(Math.floor(place / pools.length), 1);
          return { ...(pool.entry !== undefined && { entry: pool.entry }), task };
        }),
      ),
    update: (state, played) => ({
      solved: played.reduce((sum, { successes }) => sum + successes, Number(state['solved'])),
    }),
    metrics: ({ solved }) => ({ solved: Number(solved) }),
  };
}

const idsOf = async (change: (own: Curriculum, pools: readonly TaskPool[]) => Partial<Curriculum>) => {
  const findings = await curriculumKit.check({
    options: {},
    create: (_, __, pools) => {
      const own = right(pools);
      return { ...own, ...change(own, pools) };
    },
  });
  return [...new Set(findings.map(({ id }) => id))];
};

describe('the kit of curricula', () => {
  it('finds nothing wrong with a right one', async () => {
    expect(await idsOf(() => ({}))).toEqual([]);
    expect(await idsOf(() => ({ update: undefined as never, metrics: undefined as never }))).toEqual([]);
  });

  it.each<[string, readonly string[], Parameters<typeof idsOf>[0]]>([
    [
      'tasks that nobody has',
      ['choose-from-pools'],
      () => ({ choose: (first, count) => Array.from({ length: count }, (_, i) => ({ task: `mine-${first + i}` })) }),
    ],
    [
      'too few tasks',
      ['choose-from-pools', 'choose-by-place'],
      (own) => ({ choose: async (first, count, state) => (await own.choose(first, count, state)).slice(1) }),
    ],
    [
      'tasks that depend on what was asked before',
      ['choose-by-place'],
      (own) => ({ choose: (_, count, state) => own.choose((calls += 1), count, state) }),
    ],
    [
      'tasks that depend on the first place that is asked for',
      ['choose-by-place'],
      (own) => ({ choose: (first, count, state) => own.choose(2 * first, count, state) }),
    ],
    [
      'a state that is no data',
      ['state-is-data'],
      () => ({ update: () => ({ seen: new Set() }) as unknown as JsonObject, metrics: () => ({}) }),
    ],
    [
      'a state that changes',
      ['state-is-data'],
      () => ({ update: (state) => Object.assign(state, { solved: Number(state['solved']) + 1 }) }),
    ],
    [
      'a state that depends on the calls before',
      ['state-is-data'],
      () => ({ update: () => ({ solved: (calls += 1) }) }),
    ],
    ['numbers that are none', ['metrics-finite'], () => ({ metrics: () => ({ share: 0 / 0 }) })],
    [
      'an update that fails where a whole group failed',
      ['create'],
      (own) => ({
        update: (state, played) => {
          if (played.some(({ episodes }) => episodes === 0)) throw new Error('divided by nothing');
          return own.update!(state, played);
        },
      }),
    ],
  ])('finds %s', async (_, ids, change) => {
    expect(await idsOf(change)).toEqual(ids);
  });
});
