import { describe, expect, it } from 'vitest';

import { proveSplits } from './split-proof.js';

const tasks = { demonstrations: ['a', 'b', 'b'], rl: ['b', 'c'], validation: ['v'], test: ['t', 'u'] };

it('counts different tasks and what training stages share, whatever the order', () => {
  const proof = proveSplits(tasks);
  expect(proof.overlap).toEqual({
    demonstrationsAndRl: 1,
    trainAndValidation: 0,
    trainAndTest: 0,
    validationAndTest: 0,
  });
  expect(proof.uses.demonstrations.tasks).toBe(2);
  expect(proveSplits({ ...tasks, test: ['u', 't'] })).toEqual(proof);
  expect(proveSplits({ ...tasks, test: ['u'] }).uses.test.fingerprint).not.toBe(proof.uses.test.fingerprint);
});

it('refuses a task of training, or of validation, in a held-out split', () => {
  expect(() => proveSplits({ ...tasks, test: ['t', 'a'] })).toThrow(
    /1 of the tasks of the training split are also tasks of test.*"a"/,
  );
  expect(() => proveSplits({ ...tasks, validation: ['c'] })).toThrow(/also tasks of validation.*"c"/);
  expect(() => proveSplits({ ...tasks, validation: ['u'] })).toThrow(/tasks of validation are also tasks of test/);
});

describe('of other environments', () => {
  const other = { name: 'wide', environment: 'maze', isKin: true, split: 'test', ids: ['w', 't'] } as const;

  it('says what is played, and lets it share tasks with the same split', () => {
    const { transfer, ...own } = proveSplits(tasks, [other, { ...other, name: 'far', isKin: false, ids: ['a', 'v'] }]);
    expect(own).toEqual(proveSplits(tasks));
    expect(transfer).toMatchObject({
      wide: { environment: 'maze', split: 'test', tasks: 2, overlap: { train: 0, heldOut: 0 } },
      far: { tasks: 2 },
    });
    // Ids of another environment say nothing about this one's.
    expect(transfer!['far']).not.toHaveProperty('overlap');
    expect(transfer!['wide']!.fingerprint).toBe(proveSplits({ ...tasks, test: ['t', 'w'] }).uses.test.fingerprint);
  });

  it('refuses tasks of training and of the other held-out split', () => {
    const name = '`evaluation.final.transfer.wide`';
    expect(() => proveSplits(tasks, [{ ...other, ids: ['w', 'c'] }])).toThrow(
      `the test split of ${name}, the first being "c"`,
    );
    expect(() => proveSplits(tasks, [{ ...other, ids: ['v'] }])).toThrow(
      /tasks of validation are also tasks of the test/,
    );
    expect(() => proveSplits(tasks, [{ ...other, split: 'validation', ids: ['u'] }])).toThrow(/tasks of test are also/);
  });
});
