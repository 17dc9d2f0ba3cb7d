import { describe, expect, it } from 'vitest';

import { proveEnvironments, proveSplits, type SplitTasks } from './split-proof.js';

const used = { demonstrations: ['a', 'b', 'b'], rl: ['b', 'c'], validation: ['v'], test: ['t', 'u'] };

/** Tasks that are each a separate cluster, of unbounded splits. */
const tasks = (changes: Partial<SplitTasks['used']> = {}): SplitTasks => ({ used: { ...used, ...changes }, whole: {} });

it('counts different tasks and what training stages share, whatever the order', () => {
  const proof = proveSplits(tasks());
  expect(proof.overlap).toEqual({
    demonstrationsAndRl: 1,
    trainAndValidation: 0,
    trainAndTest: 0,
    validationAndTest: 0,
  });
  expect(proof.uses.demonstrations.tasks).toBe(2);
  expect(proveSplits(tasks({ test: ['u', 't'] }))).toEqual(proof);
  expect(proveSplits(tasks({ test: ['u'] })).uses.test.fingerprint).not.toBe(proof.uses.test.fingerprint);
});

it('refuses a task of training, or of validation, in a held-out split', () => {
  expect(() => proveSplits(tasks({ test: ['t', 'a'] }))).toThrow(
    /1 of the tasks of the training split are also tasks of test.*"a"/,
  );
  expect(() => proveSplits(tasks({ validation: ['c'] }))).toThrow(/also tasks of validation.*"c"/);
  expect(() => proveSplits(tasks({ validation: ['u'] }))).toThrow(/tasks of validation are also tasks of test/);
});

// Goes red when only the used tasks are compared.
it('compares the whole of bounded splits', () => {
  const whole = { train: ['a', 'b', 'c', 'd'], test: ['t', 'u', 'w'] };
  const { compared } = proveSplits({ used, whole });
  expect(compared).toEqual({
    train: { tasks: 4, clusters: 4, whole: true },
    validation: { tasks: 1, clusters: 1, whole: false },
    test: { tasks: 3, clusters: 3, whole: true },
  });
  expect(() => proveSplits({ used, whole: { ...whole, test: ['t', 'u', 'd'] } })).toThrow(/also tasks of test.*"d"/);
  expect(() => proveSplits({ used, whole: { ...whole, validation: ['v', 'w'] } })).toThrow(/also tasks of test.*"w"/);
});

describe('of tasks in clusters', () => {
  const clusters = new Map([
    ['a', 'one'],
    ['b', 'one'],
    ['d', 'two'],
    ['t', 'three'],
    ['u', 'three'],
  ]);

  it('counts the clusters, each task without one being its own', () => {
    const proof = proveSplits({ ...tasks(), clusters });
    expect(proof.compared).toMatchObject({ train: { tasks: 3, clusters: 2 }, test: { tasks: 2, clusters: 1 } });
    expect(proof.sharedClusters).toEqual({ trainAndValidation: 0, trainAndTest: 0, validationAndTest: 0 });
    expect(proof).not.toHaveProperty('sharesClusters');
  });

  it('refuses a cluster that stands in two splits, naming it and a task of each', () => {
    const with_ = (task: string, cluster: string) => new Map([...clusters, [task, cluster]]);
    expect(() => proveSplits({ ...tasks(), clusters: with_('u', 'one') })).toThrow(
      'The training split and test share 1 cluster of tasks; the first is "one": "a" of the training split and "u" of test.',
    );
    expect(() => proveSplits({ ...tasks(), clusters: with_('v', 'one') })).toThrow(/and validation share.*"a" of.*"v"/);
    expect(() => proveSplits({ ...tasks(), clusters: with_('v', 'three') })).toThrow(/Validation and test share.*"v"/);
    // A task that is not played, of a split that is known as a whole.
    const whole = { train: ['a', 'b', 'c', 'd'] };
    expect(() => proveSplits({ used, whole, clusters: with_('t', 'two') })).toThrow(/"two": "d" of the training/);
    try {
      proveSplits({ ...tasks(), clusters: with_('u', 'one') });
    } catch (error) {
      expect(error).toMatchObject({
        code: 'AG_SPLIT_LEAK',
        hint: expect.stringContaining('sharesClusters') as unknown,
      });
    }
  });

  it('lets a benchmark share clusters that says so, and counts them; tasks it may not share', () => {
    const sharing = { clusters: new Map([...clusters, ['u', 'one'], ['v', 'one']]), sharesClusters: true };
    const proof = proveSplits({ ...tasks(), ...sharing });
    expect(proof.sharesClusters).toBe(true);
    expect(proof.sharedClusters).toEqual({ trainAndValidation: 1, trainAndTest: 1, validationAndTest: 1 });
    expect(() => proveSplits({ ...tasks({ test: ['a'] }), ...sharing })).toThrow(/also tasks of test/);
  });
});

describe('of other environments', () => {
  const other = { name: 'wide', environment: 'maze', isKin: true, split: 'test', ids: ['w', 't'] } as const;

  it('says what is played, and lets it share tasks with the same split', () => {
    const { transfer, ...own } = proveSplits(tasks(), [
      other,
      { ...other, name: 'far', isKin: false, ids: ['a', 'v'] },
    ]);
    expect(own).toEqual(proveSplits(tasks()));
    expect(transfer).toMatchObject({
      wide: { environment: 'maze', split: 'test', tasks: 2, clusters: 2, overlap: { train: 0, heldOut: 0 } },
      far: { tasks: 2 },
    });
    // Ids of another environment cannot be compared with ids of this one.
    expect(transfer!['far']).not.toHaveProperty('overlap');
    expect(transfer!['wide']!.fingerprint).toBe(proveSplits(tasks({ test: ['t', 'w'] })).uses.test.fingerprint);
  });

  it('refuses tasks of training and of the other held-out split', () => {
    const name = '`evaluation.final.transfer.wide`';
    expect(() => proveSplits(tasks(), [{ ...other, ids: ['w', 'c'] }])).toThrow(
      `the test split of ${name}; the first is "c"`,
    );
    expect(() => proveSplits(tasks(), [{ ...other, ids: ['v'] }])).toThrow(
      /tasks of validation are also tasks of the test/,
    );
    expect(() => proveSplits(tasks(), [{ ...other, split: 'validation', ids: ['u'] }])).toThrow(
      /tasks of test are also/,
    );
  });

  it('refuses clusters of training, unless either says that it shares them', () => {
    const clusters = new Map([['w', 'a']]);
    expect(() => proveSplits(tasks(), [{ ...other, clusters }])).toThrow(
      '"a" of the training split and "w" of the test split of `evaluation.final.transfer.wide`',
    );
    const shared = { transfer: { wide: { clusters: 2, sharedClusters: { train: 1, heldOut: 0 } } } };
    expect(proveSplits(tasks(), [{ ...other, clusters, sharesClusters: true }])).toMatchObject(shared);
    expect(proveSplits({ ...tasks(), sharesClusters: true }, [{ ...other, clusters }])).toMatchObject(shared);
    expect(() => proveSplits(tasks(), [{ ...other, clusters, isKin: false }])).not.toThrow();
  });
});

describe('of several environments that are trained in', () => {
  const maze = (changes: Partial<SplitTasks['used']> = {}) => ({ environment: 'maze', tasks: tasks(changes) });
  const other = { demonstrations: ['d'], rl: ['e'], validation: ['w'], test: ['x'] };

  it('are one proof if they are one world, whose tasks keep their splits', () => {
    const proof = proveEnvironments([maze(), maze(other)]);
    expect(proof).not.toHaveProperty('environments');
    expect(proof.uses.test.tasks).toBe(3);
    expect(proveEnvironments([maze(), maze()])).toEqual(proveSplits(tasks()));
    expect(() => proveEnvironments([maze(), maze({ ...other, rl: ['t'] })])).toThrow(/also tasks of test.*"t"/);
    expect(() => proveEnvironments([maze(), maze({ ...other, test: ['v'] })])).toThrow(/also tasks of test.*"v"/);
  });

  // Goes red when a world that shares clusters switches off the comparison of another.
  it('are compared world by world, and counted together', () => {
    const craft = { environment: 'craft', tasks: tasks(other) };
    const proof = proveEnvironments([maze(), craft]);
    expect(proof.uses).toMatchObject({ rl: { tasks: 3 }, test: { tasks: 3 } });
    expect(Object.keys(proof.environments!)).toEqual(['maze', 'craft']);
    expect(proof.environments!['craft']!.uses.rl).toEqual(proveSplits(tasks(other)).uses.rl);
    // The same ids in different worlds are different tasks.
    expect(() =>
      proveEnvironments([maze(), { environment: 'craft', tasks: tasks({ rl: ['t'], test: ['c'] }) }]),
    ).not.toThrow();
    const clusters = new Map([['c', 'one'], ['t', 'one']]); // prettier-ignore
    const leaking = { environment: 'maze', tasks: { ...tasks(), clusters } };
    const sharing = { environment: 'craft', tasks: { ...tasks(other), sharesClusters: true } };
    expect(() => proveEnvironments([leaking, sharing])).toThrow(/share 1 cluster/);
  });
});
