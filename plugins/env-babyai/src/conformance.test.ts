import { describe, inject, it } from 'vitest';

import { environmentKit, optionDefaults } from '@agentgym/cli/testing';

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

const isLong = inject('long');

describe.each(Object.entries(isLong ? { ...variants, ...longVariants } : variants))('babyai: %s', (name, options) => {
  const subject = { ...module, contribution: contribution!, options };
  const isDefault = name === 'all levels in words';
  const effort = isDefault && isLong ? 'usual' : 'small';
  // Processes take longer than all else here.
  environmentKit.describe(it, subject, { effort, ids: isDefault ? 60 : 20, ...(isDefault && { freshProcess }) });
});
