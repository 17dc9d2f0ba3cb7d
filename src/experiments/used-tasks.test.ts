import { describe, expect, it } from 'vitest';

import type { Recipe } from '../config/recipe-schema.js';
import type { TaskSplits } from '../contracts/environment.js';
import { createRandom } from '../random/create-random.js';
import { signalTasks } from '../rollout/fixtures/signals.js';
import { splitTasks, trainedClusters } from './used-tasks.js';

const recipe = {
  environment: { name: 'signals' },
  stages: { rl: { kind: 'rl', tasksPerStep: 2, steps: 3 } },
  evaluation: { every: 0, split: 'validation', tasks: 2, final: { split: 'test', tasks: 3 } },
  seed: 1,
} as unknown as Recipe;

type Parts = Parameters<typeof splitTasks>[1];

const tasksOf = (splits: TaskSplits, refillRounds?: number, demonstrated: readonly string[] = []) => {
  const rl = new Map([['rl', { algorithm: { ...(refillRounds !== undefined && { refillRounds }) } }]]);
  const demonstrations = new Map([['sft', { demonstrations: demonstrated.map((task) => ({ task })) }]]);
  return splitTasks(recipe, { environment: { splits }, rl, demonstrations } as unknown as Parts, createRandom(1));
};

const unbounded = (splits: TaskSplits): TaskSplits => ({
  ...splits,
  train: {
    count: 'unbounded',
    id: (index) => `train-${index}`,
    random: (random) => `train-${random.integer(0, 2 ** 40)}`,
  },
});

describe('the tasks of a run', () => {
  it('are those that it draws, and all of the splits that can be listed', () => {
    const { used, whole } = tasksOf(signalTasks(30));
    expect([...used.rl]).toHaveLength(6);
    expect([...used.test]).toHaveLength(3);
    expect([...used.validation]).toEqual([]);
    expect(Object.entries(whole).map(([split, ids]) => [split, [...ids].length])).toEqual([
      ['train', Number(signalTasks(30).train.count)],
      ['validation', Number(signalTasks(30).validation.count)],
      ['test', Number(signalTasks(30).test.count)],
    ]);
    expect(tasksOf(unbounded(signalTasks(30))).whole).not.toHaveProperty('train');
  });

  // Goes red where groups that are replaced are forgotten.
  it('are more where an algorithm replaces groups that say nothing', () => {
    const [once, refilled] = [undefined, 2].map((rounds) => [...tasksOf(unbounded(signalTasks(30)), rounds).used.rl]);
    expect(once).toHaveLength(6);
    expect(refilled).toHaveLength(18);
    expect(refilled!.slice(0, 6)).toEqual(once);
  });

  it('have clusters, those of files as far as the environment knows them', () => {
    const splits: TaskSplits = {
      ...signalTasks(30),
      cluster: (task) => {
        if (!/-\d+$/.test(task)) throw new Error('no such task');
        return String(Number(task.split('-')[1]) % 4);
      },
    };
    const { clusters } = tasksOf(splits, undefined, ['train-3', 'somebody']);
    expect(clusters!.get('test-6')).toBe('2');
    expect(clusters!.get('train-3')).toBe('3');
    expect(clusters!.has('somebody')).toBe(false);
    const broken: TaskSplits = { ...splits, cluster: () => splits.cluster!('somebody') };
    expect(() => tasksOf(broken)).toThrow('no such task');
  });
});

describe('the clusters that are trained on', () => {
  const shared: TaskSplits = { ...signalTasks(30), cluster: (task) => task.slice(-1), sharesClusters: true };
  const other = { name: 'far', environment: 'signals', isKin: true, split: 'test' as const, ids: [] };

  it('are told where splits share clusters, here or where the final evaluation plays', () => {
    const sharing = tasksOf(shared, undefined, ['train-3']);
    const trained = trainedClusters(sharing, [])!;
    expect(trained).toEqual(new Set(['3', ...[...sharing.used.rl].map((id) => id.slice(-1))]));
    const apart = tasksOf(signalTasks(30));
    expect(trainedClusters(apart, [])).toBeUndefined();
    expect(trainedClusters(apart, [{ ...other, sharesClusters: true }])).toEqual(apart.used.rl);
    expect(trainedClusters(apart, [{ ...other, isKin: false, sharesClusters: true }])).toBeUndefined();
  });
});
