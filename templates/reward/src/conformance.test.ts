import { rewardKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { options } from './options.js';
import * as module from './template-name.js';

describe.each([{}, { keep: 0 }, { latest: 0.01 }, { keep: 1 }])('with %o', (chosen) => {
  rewardKit.describe(it, { ...module, options: { ...optionDefaults(options), ...chosen } });
});
