import { expect, it } from 'vitest';

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
