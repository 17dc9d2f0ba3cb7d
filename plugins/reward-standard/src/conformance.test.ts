import { rewardKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import * as balanced from './balanced.js';
import * as calls from './calls.js';
import * as cost from './cost.js';
import * as dense from './dense.js';
import * as format from './format.js';
import { callsOptions, costOptions, formatOptions, sparseOptions, verifiedOptions, wayOptions } from './options.js';
import * as progress from './progress.js';
import * as sparse from './sparse.js';
import * as verified from './verified.js';

const way = optionDefaults(wayOptions);

describe('sparse', () => rewardKit.describe(it, { ...sparse, options: optionDefaults(sparseOptions) }));
describe('progress', () => rewardKit.describe(it, { ...progress, options: way }));
describe.each([0.5, 1, 0.01])('with a share of %d', (share) => {
  describe('balanced', () => rewardKit.describe(it, { ...balanced, options: { share } }));
  describe('dense', () => rewardKit.describe(it, { ...dense, options: { share } }));
});
describe('format', () => rewardKit.describe(it, { ...format, options: optionDefaults(formatOptions) }, { term: true }));
describe('cost', () => rewardKit.describe(it, { ...cost, options: optionDefaults(costOptions) }, { term: true }));
describe('calls', () => rewardKit.describe(it, { ...calls, options: optionDefaults(callsOptions) }, { term: true }));
describe('verified', () =>
  rewardKit.describe(
    it,
    { ...verified, options: optionDefaults(verifiedOptions) },
    // Its right answers need not be what an environment calls success.
    { accept: ['success-above-failure'] },
  ));
