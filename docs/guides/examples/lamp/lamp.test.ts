import { environmentKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import contributions from './index.js';
import * as lamp from './lamp.js';
import { options } from './options.js';

describe('lamp', () => {
  const [contribution] = contributions;
  environmentKit.describe(it, { ...lamp, contribution: contribution!, options: optionDefaults(options) });
});
