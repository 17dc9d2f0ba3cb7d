import { describe, inject, it } from 'vitest';

import { environmentKit, optionDefaults } from '@agentgym/cli/testing';

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

const isLong = inject('long');

describe.each(Object.entries(isLong ? { ...variants, ...longVariants } : variants))(
  'textworld: %s',
  (name, options) => {
    const subject = { ...module, contribution: contribution!, options };
    const isDefault = name === 'custom games';
    const effort = isDefault && isLong ? 'usual' : 'small';
    // Processes take longer than all else here.
    environmentKit.describe(it, subject, { effort, ids: 15, ...(isDefault && { freshProcess }) });
  },
);
