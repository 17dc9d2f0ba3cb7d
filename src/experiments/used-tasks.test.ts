import { describe, expect, it } from 'vitest';

import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import { planRun } from '../config/run-plan.js';
import type { World } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';
import { createRandom } from '../random/create-random.js';
import { worldSettings } from '../rollout/fixtures/collect.js';
import { signalWorld } from '../rollout/fixtures/signals.js';
import { localWorld } from '../rollout/local-world.js';
import { splitTasks, trainedClusters } from './used-tasks.js';

const plan = planRun(
  tinyRecipe({
    environment: { name: 'signals' },
    stages: { rl: { kind: 'rl', tasksPerStep: 2, steps: 3 } },
    evaluation: { every: 0, split: 'validation', tasks: 2, final: { split: 'test', tasks: 3 } },
  }),
);

type Parts = Parameters<typeof splitTasks>[1];

const thirty = (changes: Partial<World> = {}): World => signalWorld(undefined, { count: 30, ...changes });

const tasksOf = (of: World, refillRounds?: number, demonstrated: readonly string[] = []) => {
  const rl = new Map([['rl', { algorithm: { ...(refillRounds !== undefined && { refillRounds }) } }]]);
  const demonstrations = new Map([['sft', { facts: { tasks: new Set(demonstrated) } }]]);
  return splitTasks(
    plan,
    { environment: { world: localWorld(of, worldSettings()) }, rl, demonstrations } as unknown as Parts,
    createRandom(1),
  );
};

const unbounded = (): World => {
  const { splits } = thirty();
  const train = {
    count: 'unbounded',
    id: (place: number) => `train-${place}`,
    random: (random: Random) => `train-${random.integer(0, 2 ** 40)}`,
  } as const;
  return thirty({ splits: { ...splits, train } });
};

describe('the tasks of a run', () => {
  it('are those that it draws, and all of the splits that can be listed', async () => {
    const { used, whole } = await tasksOf(thirty());
    expect([...used.rl]).toHaveLength(6);
    expect([...used.test]).toHaveLength(3);
    expect([...used.validation]).toEqual([]);
    expect(Object.entries(whole).map(([split, ids]) => [split, [...ids].length])).toEqual([
      ['train', 30],
      ['validation', 30],
      ['test', 30],
    ]);
    expect((await tasksOf(unbounded())).whole).not.toHaveProperty('train');
  });

  // Goes red when replaced groups are forgotten.
  it('are more where an algorithm replaces groups that say nothing', async () => {
    const drawn = async (rounds?: number) => [...(await tasksOf(unbounded(), rounds)).used.rl];
    const [once, refilled] = [await drawn(), await drawn(2)];
    expect(once).toHaveLength(6);
    expect(refilled).toHaveLength(18);
    expect(refilled.slice(0, 6)).toEqual(once);
  });

  it('have clusters, those of files as far as the environment knows them', async () => {
    const about = (task: string) => {
      if (!/-\d+$/.test(task)) throw new Error('no such task');
      return { cluster: String(Number(task.split('-')[1]) % 4) };
    };
    const { clusters } = await tasksOf(thirty({ about }), undefined, ['train-3', 'somebody']);
    expect(clusters!.get('test-6')).toBe('2');
    expect(clusters!.get('train-3')).toBe('3');
    expect(clusters!.has('somebody')).toBe(false);
    await expect(tasksOf(thirty({ about: () => about('somebody') }))).rejects.toThrow('no such task');
    expect(await tasksOf(thirty({ about: () => ({ labels: { kind: 'easy' } }) }))).not.toHaveProperty('clusters');
  });
});

describe('the clusters that are trained on', () => {
  const shared = thirty({ about: (task) => ({ cluster: task.slice(-1) }), sharesClusters: true });
  const other = { name: 'far', environment: 'signals', isKin: true, split: 'test' as const, ids: [] };

  it('are told where splits share clusters, here or where the final evaluation plays', async () => {
    const sharing = await tasksOf(shared, undefined, ['train-3']);
    const trained = trainedClusters(sharing, [])!;
    expect(trained).toEqual(new Set(['3', ...[...sharing.used.rl].map((id) => id.slice(-1))]));
    const apart = await tasksOf(thirty());
    expect(trainedClusters(apart, [])).toBeUndefined();
    expect(trainedClusters(apart, [{ ...other, sharesClusters: true }])).toEqual(apart.used.rl);
    expect(trainedClusters(apart, [{ ...other, isKin: false, sharesClusters: true }])).toBeUndefined();
  });
});
