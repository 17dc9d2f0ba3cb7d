import { environmentKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import * as module from './guess-number.js';
import contributions from './index.js';
import { options, type Options } from './options.js';

const [contribution] = contributions;
const freshProcess = new URL('../dist/guess-number.js', import.meta.url);
const variants: Record<string, Partial<Options>> = {
  'as it comes': {},
  'with memory and working': { reply: 'direction', answer: 'working' },
  "as GEM's easy game": { highest: 10, width: [10, 10], turns: 4, reply: 'direction', splitBy: 'task' },
};

describe.each(Object.entries(variants))('guess-number %s', (_name, chosen) => {
  // GEM's easy game has ten tasks and four turns: bisection solves every one of them too.
  environmentKit.describe(
    it,
    { ...module, contribution: contribution!, options: { ...optionDefaults(options), ...chosen } },
    { freshProcess },
  );
});
