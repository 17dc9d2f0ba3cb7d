import { describe, it } from 'vitest';

import { environmentKit } from '@agentgym/cli/testing';

import { plain } from './fixtures/play.js';
import contributions from './index.js';
import type { Options } from './options.js';
import * as module from './textcraft.js';

const [contribution] = contributions;
const freshProcess = new URL('../dist/textcraft.js', import.meta.url);
const variants: Record<string, Options> = {
  'as it comes': plain,
  'with everything changed': {
    depths: [2, 3],
    longestPlan: 12,
    distractors: 3,
    alternatives: false,
    names: 'joined',
    renamed: 0.5,
  },
};

describe.each(Object.entries(variants))('textcraft %s', (_name, options) => {
  environmentKit.describe(it, { ...module, contribution: contribution!, options }, { freshProcess });
});
