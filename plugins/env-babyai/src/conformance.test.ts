import { describe, inject, it } from 'vitest';

import { describeEnvironment, optionDefaults } from '@agentgym/cli/testing';

import * as module from './babyai.js';
import contributions from './index.js';
import { options as declared, type Options } from './options.js';

const [contribution] = contributions;
const freshProcess = new URL('../dist/babyai.js', import.meta.url);
const defaults: Options = optionDefaults(declared);
const variants: Record<string, Options> = {
  'all levels in words': defaults,
  'seven actions and numbers': { ...defaults, actions: 'primitive', observation: 'json', timed: false },
  "the original's rules": { ...defaults, levels: ['PutNextS5N2Carrying', 'GoToSeq'], compat: 'minigrid' },
};
const longVariants: Record<string, Options> = {
  'a drawing of short levels, without a list': {
    ...defaults,
    planLength: 15,
    observation: 'ascii',
    splits: 'levels',
    listActions: false,
    maxTurns: 200,
  },
  'seeds of small levels': { ...defaults, levels: ['GoToObjS4', 'BabyAI-GoToObjS6-v1'], splits: 'seeds' },
  "AgentGym's wrapper": { ...defaults, levels: ['GoToLocalS8N7', 'UnlockLocalDist', 'PickupLoc'], compat: 'agentgym' },
};

/** Processes take longer than all else here, so only these are played in them. */
const inProcesses = 'all levels in words';
/** The effort of `plugins check` with options that are not the defaults; long tests play the defaults with its whole effort. */
const fewer = { tasks: 2, turns: 15, malformed: 60 };
const effortOfDefaults = inject('long') ? {} : fewer;

// The first test of a kit runs all its checks.
describe.each(Object.entries(inject('long') ? { ...variants, ...longVariants } : variants))(
  'babyai: %s',
  { timeout: 120_000 },
  (name, options) => {
    const subject = { ...module, contribution: contribution!, options };
    describeEnvironment(
      it,
      subject,
      name === inProcesses ? { ...effortOfDefaults, ids: 60, freshProcess } : { ...fewer, ids: 20 },
    );
  },
);
