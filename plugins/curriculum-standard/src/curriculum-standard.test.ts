import type { Curriculum, Host, JsonObject, TaskFacts, TaskPool } from '@agentgym/cli';
import { describe, expect, it } from 'vitest';

import { create as createBand } from './band.js';
import type { BandOptions } from './options.js';
import { validateBand, validateWeights } from './options.js';
import { takeTurns } from './take-turns.js';
import { create as createUniform } from './uniform.js';
import { create as createWeights } from './weights.js';

/** Tasks 0, 1, 2 ... in rounds; task n belongs to the cluster n % 4, and has the depth n % 3. */
function pool(count: number | 'unbounded', changes: Partial<TaskPool> = {}): TaskPool {
  const at = (place: number) => String(count === 'unbounded' ? place : place % count);
  const about = (task: string): TaskFacts => ({
    cluster: `c${Number(task) % 4}`,
    labels: { depth: Number(task) % 3 },
  });
  return {
    weight: 1,
    count,
    order: (first, many) => Promise.resolve(Array.from({ length: many }, (_, index) => at(first + index))),
    about: (tasks) => Promise.resolve(tasks.map(about)),
    ...changes,
  };
}

const host = {} as Host;
const usual: BandOptions = { low: 0.2, high: 0.8, of: 'task', recency: 1, retryAfter: 3 };
const band = (own: TaskPool, options: Partial<BandOptions> = {}) => createBand({ ...usual, ...options }, host, [own]);

const tasksOf = async (curriculum: Curriculum, first: number, count: number, state: JsonObject) =>
  (await curriculum.choose(first, count, state)).map(({ task }) => task);

/** Plays steps of so many tasks. `solves` says how many of four episodes of a task succeed. */
async function play(curriculum: Curriculum, steps: number, count: number, solves: (task: string) => number) {
  let state = curriculum.initialState;
  let place = 0;
  const handed: string[][] = [];
  for (let step = 0; step < steps; step += 1) {
    const tasks = await tasksOf(curriculum, place, count, state);
    handed.push(tasks);
    const played = tasks.map((task) => ({ task, episodes: 4, successes: solves(task) }));
    state = (await curriculum.update?.(state, played)) ?? state;
    place += count;
  }
  return { handed, state };
}

describe('uniform', () => {
  it('is the order of the pool', async () => {
    expect(await tasksOf(createUniform({}, host, [pool(5)]), 3, 4, {})).toEqual(['3', '4', '0', '1']);
  });

  it('gives every environment its share, in its own order', async () => {
    const pools = [pool(5, { entry: 'maze', weight: 2 }), pool(9, { entry: 'kitchen' })] as const;
    expect(await createUniform({}, host, pools).choose(0, 6, {})).toEqual([
      { entry: 'maze', task: '0' },
      { entry: 'kitchen', task: '0' },
      { entry: 'maze', task: '1' },
      { entry: 'maze', task: '2' },
      { entry: 'kitchen', task: '1' },
      { entry: 'maze', task: '3' },
    ]);
  });
});

describe('turns', () => {
  // The slow reference hands out one turn after the other, from the first.
  const slow = (weights: readonly number[], count: number) => {
    const taken = weights.map(() => 0);
    return Array.from({ length: count }, () => {
      const times = weights.map((weight, entry) => (taken[entry]! + 0.5) / weight);
      const entry = times.indexOf(Math.min(...times));
      const turn = taken[entry]!;
      taken[entry] = turn + 1;
      return { entry, turn };
    });
  };

  it.each([[[1]], [[1, 1]], [[2, 1, 1]], [[0.3, 0.3, 0.4]], [[1e-3, 1]], [[0.1, 0.7, 0.2, 3]], [[1, 1, 1, 1, 1, 1]]])(
    'of %j are the same from any place on',
    (weights) => {
      const all = slow(weights, 400);
      for (let first = 0; first < 390; first += 13) {
        expect(takeTurns(weights, first, 10), `from ${first}`).toEqual(all.slice(first, first + 10));
      }
      const sum = weights.reduce((total, weight) => total + weight, 0);
      for (const [entry, weight] of weights.entries()) {
        const own = all.filter((turn) => turn.entry === entry).length;
        expect(Math.abs(own - (400 * weight) / sum)).toBeLessThanOrEqual(1);
      }
    },
  );
});

describe('weights', () => {
  const pools = [pool(50, { entry: 'easy' }), pool(50, { entry: 'hard' })] as const;
  const options = { entries: ['easy', 'hard'], to: [0, 3], over: 2 };

  it('moves from the weights of the recipe to others', async () => {
    const curriculum = createWeights(options, host, pools);
    let state = curriculum.initialState;
    const entries: string[][] = [];
    for (let step = 0; step < 4; step += 1) {
      const chosen = await curriculum.choose(8 * step, 8, state);
      // From the middle of the step on, too.
      expect(await curriculum.choose(8 * step + 3, 5, state)).toEqual(chosen.slice(3));
      entries.push(chosen.map(({ entry }) => entry!));
      state = await curriculum.update!(
        state,
        chosen.map((one) => ({ ...one, episodes: 1, successes: 0 })),
      );
    }
    const share = entries.map((step) => step.filter((entry) => entry === 'easy').length);
    // 1 : 1, then 0.5 : 2, then nothing.
    expect(share).toEqual([4, 2, 0, 0]);
    expect(state).toMatchObject({ steps: 4, turns: [6, 26] });
    expect(curriculum.metrics!(state)).toEqual({ 'share/easy': 0, 'share/hard': 1 });
    const played = new Set(entries.flat());
    expect(played).toEqual(new Set(['easy', 'hard']));
  });

  it('refuses names and weights that do not fit', () => {
    expect(() => createWeights({ ...options, entries: ['easy', 'far'] }, host, pools)).toThrow(
      '`entries` names `far`, which is none of the environments: easy, hard',
    );
    expect(validateWeights({ ...options, to: [1] })).toMatchObject([{ path: ['to'] }]);
    expect(validateWeights(options)).toEqual([]);
    expect(validateWeights({ ...options, entries: [], to: [] })).toMatchObject([{ path: ['entries'] }]);
  });
});

describe('band', () => {
  // Tasks below 3 are never solved, those above 6 always, the others half of the time.
  const solves = (task: string) => (Number(task) < 3 ? 0 : Number(task) > 6 ? 4 : 2);

  it('tries everything, and then plays what is solved sometimes', async () => {
    const { handed } = await play(band(pool(10)), 5, 4, solves);
    expect(handed).toEqual([
      ['0', '1', '2', '3'],
      ['4', '5', '6', '7'],
      // 8 and 9 are new; of the next round, only 3 and 4 fit.
      ['8', '9', '3', '4'],
      ['5', '6', '3', '4'],
      // 0 and 1 were tried before the last three steps, so they are tried again; 7 was tried later.
      ['5', '6', '0', '1'],
    ]);
  });

  it('takes the nearest where too few fit, each once, and ends where nothing fits', async () => {
    const narrow = band(pool(6), { low: 0.45, high: 0.55, retryAfter: 99 });
    const shares = [0, 1, 2, 3, 4, 4];
    const { handed } = await play(narrow, 2, 6, (task) => shares[Number(task)]!);
    // Only 2 fits. 1 and 3 are a quarter away, then 0, 4 and 5.
    expect(handed[1]![0]).toBe('2');
    expect(new Set(handed[1]!.slice(1, 3))).toEqual(new Set(['1', '3']));
    expect(new Set(handed[1])).toHaveProperty('size', 6);
    const never = band(pool(6), { retryAfter: 99 });
    await expect(play(never, 2, 6, () => 0)).rejects.toThrow(
      'nothing has a success between 0.2 and 0.8: of 6 that were tried, the nearest is 0.20 away',
    );
  });

  it('is the same for a place, however many are asked for, also in the middle of a step', async () => {
    const curriculum = band(pool(40));
    const { state } = await play(curriculum, 3, 7, solves);
    const whole = await tasksOf(curriculum, 21, 9, state);
    expect(await tasksOf(curriculum, 21, 4, state)).toEqual(whole.slice(0, 4));
    expect(await tasksOf(curriculum, 25, 5, state)).toEqual(whole.slice(4));
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });

  it('knows clusters and labels of an unbounded pool, and refuses to know its tasks', async () => {
    expect(() => band(pool('unbounded'))).toThrow('Set `of` to `cluster` or to the axis of a label');
    const clusters = await play(band(pool('unbounded'), { of: 'cluster', retryAfter: 99 }), 3, 4, (task) =>
      Number(task) % 4 === 1 ? 2 : 0,
    );
    expect(clusters.handed[2]!.every((task) => Number(task) % 4 === 1)).toBe(true);
    const depths = await play(band(pool('unbounded'), { of: 'depth', retryAfter: 99 }), 3, 3, (task) =>
      Number(task) % 3 === 2 ? 1 : 4,
    );
    expect(depths.handed[2]!.every((task) => Number(task) % 3 === 2)).toBe(true);
    await expect(tasksOf(band(pool(9), { of: 'hops' }), 0, 1, band(pool(9)).initialState)).rejects.toThrow(
      'the task "0" has no label `hops`; it has depth',
    );
  });

  it('forgets slowly, and says how much lies in the band', async () => {
    const curriculum = band(pool(2), { recency: 0.5 });
    const first = await curriculum.update!(curriculum.initialState, [
      { task: '0', episodes: 4, successes: 4 },
      { task: '1', episodes: 0, successes: 0 },
    ]);
    const second = await curriculum.update!(first, [{ task: '0', episodes: 4, successes: 0 }]);
    expect(second['pools']).toEqual([{ read: 4, known: { 0: [0.5, 2] } }]);
    expect(curriculum.metrics!(first)).toEqual({ tried: 1, in_band: 0 });
    expect(curriculum.metrics!(second)).toEqual({ tried: 1, in_band: 1 });
    expect(curriculum.metrics!(curriculum.initialState)).toEqual({ tried: 0, in_band: 0 });
  });

  it('refuses an empty band', () => {
    expect(validateBand({ ...usual, low: 0.8 })).toMatchObject([{ path: ['low'] }]);
    expect(validateBand(usual)).toEqual([]);
  });
});
