import { describe, inject, it } from 'vitest';

import { describeEnvironment, optionDefaults } from '@agentgym/cli/testing';

import contributions from './index.js';
import { options as declared, type Options } from './options.js';
import * as module from './textworld.js';

const [contribution] = contributions;
const freshProcess = new URL('../dist/textworld.js', import.meta.url);
const defaults = optionDefaults(declared) as Options;
const variants: Record<string, Options> = {
  'custom games': defaults,
  'a fixed house': { ...defaults, game: 'simple', rewards: 'balanced', goal: 'brief' },
  cooking: { ...defaults, game: 'cooking', recipe: 1, take: 1, go: 6, open: true, cook: true, foods: 'split' },
};
const longVariants: Record<string, Options> = {
  'custom games, whole rooms, as the original': {
    ...defaults,
    objects: 6,
    instructions: 'last',
    observe: 'room',
    listActions: false,
    splits: 'seeds',
    compat: 'textworld',
  },
  coins: { ...defaults, game: 'coin-collector', level: 3 },
  treasures: { ...defaults, game: 'treasure-hunter', level: 3 },
};

/** Processes take longer than all else here, so only these are played in them. */
const inProcesses = 'custom games';
/** The effort of `plugins check` with options that are not the defaults; long tests play the defaults with its whole effort. */
const fewer = { tasks: 2, turns: 15, malformed: 60 };
const effortOfDefaults = inject('long') ? {} : fewer;

// The first test of a kit runs all its checks.
describe.each(Object.entries(inject('long') ? { ...variants, ...longVariants } : variants))(
  'textworld: %s',
  { timeout: 120_000 },
  (name, options) => {
    const subject = { ...module, contribution: contribution!, options };
    describeEnvironment(it, subject, {
      ids: 15,
      ...(name === inProcesses ? { ...effortOfDefaults, freshProcess } : fewer),
    });
  },
);
