import { environmentKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import contributions from './index.js';
import * as shelf from './shelf.js';

/** The built module, which runs in fresh processes. `npm test` builds it first. */
const freshProcess = new URL('../dist/environments/shelf.js', import.meta.url);
const contribution = contributions.find(({ name }) => name === 'shelf')!;

describe.each([{}, { books: 3, spare: 0 }])('shelf with %o', (chosen) => {
  const options = { ...optionDefaults(shelf.options), ...chosen };
  environmentKit.describe(it, { ...shelf, contribution, options }, { freshProcess });
});
