import { describe, expect, it } from 'vitest';

import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import { planRun } from '../config/run-plan.js';
import type { SplitName, TaskSource, World } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';
import { createRandom } from '../random/create-random.js';
import { worldSettings } from '../rollout/fixtures/collect.js';
import { signalWorld } from '../rollout/fixtures/signals.js';
import { localWorld } from '../rollout/local-world.js';
import { proveSplits } from '../runs/split-proof.js';
import { DrawnTasks } from './drawn-tasks.js';
import { heldOutOf, type KnownTasks, sharesClusters, splitTasks, trainedClusters } from './used-tasks.js';

const plan = planRun(
  tinyRecipe({
    environment: { name: 'signals' },
    stages: { rl: { kind: 'rl', tasksPerStep: 2, steps: 3 } },
    evaluation: { every: 0, split: 'validation', tasks: 2, final: { split: 'test', tasks: 3 } },
  }),
);

type Entries = Parameters<typeof splitTasks>[1];
type Demonstrations = Parameters<typeof splitTasks>[2];

const thirty = (changes: Partial<World> = {}): World => signalWorld(undefined, { count: 30, ...changes });

const tasksOf = async (of: World, demonstrated: readonly string[] = []): Promise<KnownTasks> => {
  const demonstrations = new Map([['sft', [{ facts: { tasks: new Set(demonstrated) } }]]]);
  const environment = { name: 'signals', world: localWorld(of, worldSettings()) };
  const entries = [{ environment, plan: plan.entries[0], prompt: {} }] as unknown as Entries;
  const [known] = await splitTasks(plan, entries, demonstrations as unknown as Demonstrations, createRandom(1));
  return known!;
};

/** What is drawn in the only environment of a run. */
const drawnTasks = (
  known: KnownTasks,
  transfer: Parameters<typeof heldOutOf>[2],
  note: (tasks: readonly string[]) => void,
): DrawnTasks => new DrawnTasks([{ heldOut: heldOutOf(known, [known], transfer), clusters: known.clusters }], note);

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
  it('are those that it evaluates, and all of the splits that can be listed', async () => {
    const { used, whole } = (await tasksOf(thirty())).tasks;
    expect([...used.rl]).toEqual([]);
    expect([...used.test]).toHaveLength(3);
    expect([...used.validation]).toEqual([]);
    expect(Object.entries(whole).map(([split, ids]) => [split, [...ids].length])).toEqual([
      ['train', 30],
      ['validation', 30],
      ['test', 30],
    ]);
    expect((await tasksOf(unbounded())).tasks.whole).not.toHaveProperty('train');
  });

  it('have clusters, those of files as far as the environment knows them', async () => {
    const about = (task: string) => {
      if (!/-\d+$/.test(task)) throw new Error('no such task');
      return { cluster: String(Number(task.split('-')[1]) % 4) };
    };
    const { clusters } = (await tasksOf(thirty({ about }), ['train-3', 'somebody'])).tasks;
    expect(clusters!.get('test-6')).toBe('2');
    expect(clusters!.get('train-3')).toBe('3');
    expect(clusters!.has('somebody')).toBe(false);
    await expect(tasksOf(thirty({ about: () => about('somebody') }))).rejects.toThrow('no such task');
    const labelled = await tasksOf(thirty({ about: () => ({ labels: { kind: 'easy' } }) }));
    expect(labelled.tasks).not.toHaveProperty('clusters');
  });
});

describe('a world that tells the split of a task', () => {
  const splitOf: NonNullable<World['splitOf']> = (task) => {
    const split = /^(train|validation|test)-\d+$/.exec(task)?.[1];
    if (split === undefined) throw new Error('no such task');
    return split as SplitName;
  };
  const [asked, told]: [string[], string[]] = [[], []];
  const world = (changes: Partial<World> = {}): World => {
    const { splits } = thirty();
    const listed = (name: SplitName): TaskSource => {
      const id = (place: number): string => {
        asked.push(`${name}-${place}`);
        return `${name}-${place}`;
      };
      return { ...splits[name]!, id };
    };
    const about = (task: string) => {
      told.push(task);
      return { cluster: task };
    };
    const all = { train: listed('train'), validation: listed('validation'), test: listed('test') };
    return thirty({ splits: all, about, splitOf, ...changes });
  };

  // Goes red when a start asks for tasks that the run does not use.
  it('is asked for no task but those that are used', async () => {
    const { tasks } = await tasksOf(world(), ['train-3', 'somebody']);
    expect([tasks.whole, [...tasks.used.test].toSorted()]).toEqual([{}, asked.toSorted()]);
    expect(asked).toHaveLength(3);
    expect(told.toSorted()).toEqual([...asked, 'train-3', 'somebody'].toSorted());
    expect(proveSplits(tasks)).toMatchObject({ placed: true, compared: { train: { tasks: 2, whole: false } } });
  });

  it('finds held-out tasks that are not evaluated, in files and among those that are drawn', async () => {
    const known = await tasksOf(world(), ['validation-29']);
    expect(() => proveSplits(known.tasks)).toThrow('also tasks of validation; the first is "validation-29"');
    const drawn = drawnTasks(known, [], () => undefined);
    await drawn.admit([{ task: 'train-29' }]);
    await expect(drawn.admit([{ task: 'validation-28' }])).rejects.toMatchObject({
      code: 'AG_SPLIT_LEAK',
      message: expect.stringContaining('the training task "validation-28" is of the split validation') as string,
    });
  });

  it('must not contradict its lists', async () => {
    await expect(tasksOf(world({ splitOf: () => undefined }))).rejects.toMatchObject({ code: 'AG_SPLIT_LEAK' });
    const { tasks } = await tasksOf(world({ splitOf: () => 'train' }));
    expect(() => proveSplits(tasks)).toThrow('3 of the tasks of the training split are also tasks of test');
    await expect(tasksOf(world({ splitOf: () => 'tests' as SplitName }))).rejects.toThrow(
      'a split is train, validation, test or undefined, not "tests"',
    );
  });
});

describe('the clusters that are trained on', () => {
  const shared = thirty({ about: (task) => ({ cluster: task.slice(-1) }), sharesClusters: true });
  const other = { name: 'far', environment: 'signals', isKin: true, split: 'test' as const, ids: [] };

  it('are told where splits share clusters, here or where the final evaluation plays', async () => {
    const sharing = await tasksOf(shared, ['train-3']);
    expect(sharesClusters('signals', [sharing], [])).toBe(true);
    await sharing.clusters.ask(['train-15', 'train-25']);
    expect(trainedClusters([sharing], [['train-15', 'train-25']])).toEqual(new Map([['signals', new Set(['3', '5'])]]));
    const apart = await tasksOf(thirty());
    expect(sharesClusters('signals', [apart], [])).toBe(false);
    expect(sharesClusters('signals', [apart], [{ ...other, sharesClusters: true }])).toBe(true);
    expect(sharesClusters('signals', [apart], [{ ...other, environment: 'maze', sharesClusters: true }])).toBe(false);
    expect(trainedClusters([apart], [['train-4']])).toEqual(new Map([['signals', new Set(['train-4'])]]));
  });
});

describe('the tasks that training draws', () => {
  const cluster = (task: string) => ({ cluster: String(Number(task.split('-')[1]) % 9) });
  const other = { name: 'far', environment: 'signals', split: 'test' as const, ids: ['train-7', 'far-1'] };
  const drawn = async (of: World, transfer: Parameters<typeof heldOutOf>[2] = []) => {
    const noted: string[] = [];
    const known = await tasksOf(of);
    const tasks = drawnTasks(known, transfer, (fresh) => noted.push(...fresh));
    const admit = (...ids: string[]) => tasks.admit(ids.map((task) => ({ task })));
    return { noted, admit, tasks };
  };

  // Goes red when a held-out task is played, or when a task is noted twice.
  it('are noted once, and none is held out', async () => {
    const { admit, noted, tasks } = await drawn(unbounded());
    await admit('train-1', 'train-2', 'train-1');
    await tasks.resume([{ task: 'train-9' }]);
    await admit('train-9', 'train-2', 'train-3');
    expect(noted).toEqual(['train-1', 'train-2', 'train-3']);
    expect([...tasks.ids[0]!]).toEqual(['train-1', 'train-2', 'train-9', 'train-3']);
    for (const [task, split] of [
      ['test-5', 'the split test'],
      ['validation-29', 'the split validation'],
    ] as const) {
      await expect(admit('train-4', task)).rejects.toMatchObject({
        code: 'AG_SPLIT_LEAK',
        message: expect.stringContaining(`"${task}" is also a task of ${split}`) as string,
      });
    }
    expect(noted).toHaveLength(3);
  });

  it('belong to no cluster of held-out tasks, unless splits share them', async () => {
    const { admit } = await drawn(thirty({ splits: unbounded().splits, about: cluster }));
    await expect(admit('train-900')).rejects.toMatchObject({
      code: 'AG_SPLIT_LEAK',
      message: expect.stringMatching(
        /"train-900" belongs to the cluster "0", as "test-27" of the split test does/,
      ) as string,
    });
    const sharing = await drawn(thirty({ splits: unbounded().splits, about: cluster, sharesClusters: true }));
    await sharing.admit('train-900');
    expect(sharing.noted).toEqual(['train-900']);
  });

  it('are none that the final evaluation plays with other options', async () => {
    const kin = await drawn(unbounded(), [{ ...other, isKin: true }]);
    await expect(kin.admit('train-7')).rejects.toThrow('`evaluation.final.transfer.far`');
    const stranger = await drawn(unbounded(), [{ ...other, environment: 'maze', isKin: false }]);
    await stranger.admit('train-7');
  });
});
