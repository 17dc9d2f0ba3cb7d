import { algorithmKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { options } from './options.js';
import * as module from './template-name.js';

describe.each([{}, { clip: 0 }, { entropyCoefficient: 0.01 }])('with %o', (chosen) => {
  algorithmKit.describe(it, { ...module, options: { ...optionDefaults(options), ...chosen } });
});
