import { describe, expect, it } from 'vitest';

import { plain } from './fixtures/play.js';
import { levelNames } from './levels/level-names.js';
import { levels } from './levels/level-table.js';
import { validate, type Options } from './options.js';

const errorsOf = (options: Partial<Options>) =>
  validate({ ...plain, ...options })
    .filter(({ idle }) => idle !== true)
    .map(({ path, message, hint }) => [path.join('.'), message, hint]);

const idleOf = (options: Partial<Options>) =>
  validate({ ...plain, ...options }).flatMap(({ path, idle }) => (idle === true ? path : []));

it('knows the names of all levels without loading them', () => {
  expect(levelNames).toEqual(levels.map(({ name }) => name));
});

describe('options that contradict each other', () => {
  it.each<[Partial<Options>, string, string, string]>([
    [{ levels: ['GoTo', 'GoToLocl'] }, 'levels.1', 'there is no level "GoToLocl"', 'Did you mean GoToLocal?'],
    [{ levels: ['BabyAI-BossLvl-v0'] }, 'levels.0', 'there is no level "BabyAI-BossLvl-v0"', 'Did you mean BossLevel?'],
    // This version had another size.
    [
      { levels: ['BabyAI-GoToObjS6-v0'] },
      'levels.0',
      'there is no level "BabyAI-GoToObjS6-v0"',
      'Did you mean GoToObjS6?',
    ],
    [{ heldOut: ['unlok'] }, 'heldOut.0', 'there is no level "unlok"', 'Did you mean Unlock?'],
    [
      { levels: ['BossLevel', 'Unlock'], planLength: 9 },
      'planLength',
      'no selected level has plans of 9 actions or fewer',
      expect.stringMatching(/^Write planLength: \d+ or more\.$/),
    ],
    [
      { levels: ['GoTo', 'Open'], splits: 'levels' },
      'splits',
      'the levels that are selected leave none to hold out',
      'Select five levels or more, or name some but not all of them in heldOut.',
    ],
    [
      { levels: ['GoTo', 'Open'], splits: 'levels', heldOut: ['GoTo', 'Open'] },
      'heldOut',
      'the levels that are selected leave none to train on',
      'Select five levels or more, or name some but not all of them in heldOut.',
    ],
    [
      { levels: ['GoTo', 'Open'], splits: 'levels', heldOut: ['Pickup'] },
      'heldOut',
      'the level Pickup is held out, but not selected',
      'Add Pickup to levels, or remove it from heldOut.',
    ],
  ])('are named with a cure: %j', (options, ...finding) => {
    expect(errorsOf(options)).toEqual([finding]);
  });

  it.each<Partial<Options>>([
    {},
    { levels: ['BabyAI-GoToObjS6-v1', 'GoToObjS4'] },
    { planLength: 3 },
    { splits: 'levels' },
    { levels: ['GoTo', 'Open'], splits: 'levels', heldOut: ['BabyAI-Open-v0'] },
    { compat: 'agentgym' },
  ])('are none of %j', (options) => {
    expect(errorsOf(options)).toEqual([]);
  });
});

it('tells which options have no effect', () => {
  expect(idleOf({})).toEqual(['heldOut']);
  expect(idleOf({ splits: 'levels', compat: 'agentgym' })).toEqual(['actions', 'observation', 'timed', 'listActions']);
});
