import { formatKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { options } from './options.js';
import * as module from './template-name.js';

describe.each([{}, { arrow: 'Action:' }])('with %o', (chosen) => {
  formatKit.describe(it, { ...module, options: { ...optionDefaults(options), ...chosen } });
});
