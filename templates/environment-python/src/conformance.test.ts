import { environmentKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import contributions from './index.js';
import { options } from './options.js';
import * as module from './template-name.js';

const [contribution] = contributions;
/** The built module, which runs in fresh processes. `npm test` builds it first. */
const freshProcess = new URL('../dist/template-name.js', import.meta.url);

describe.each([{}, { floors: 3, spare: 0 }, { floors: 12, processes: 2 }])('with %o', (chosen) => {
  environmentKit.describe(
    it,
    { ...module, contribution: contribution!, options: { ...optionDefaults(options), ...chosen } },
    { freshProcess },
  );
});
