import { describeReward, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import * as balanced from './balanced.js';
import * as cost from './cost.js';
import * as dense from './dense.js';
import * as format from './format.js';
import { costOptions, formatOptions, sparseOptions, wayOptions } from './options.js';
import * as progress from './progress.js';
import * as sparse from './sparse.js';

const way = optionDefaults(wayOptions);

describe('sparse', () => describeReward(it, { ...sparse, options: optionDefaults(sparseOptions) }));
describe('progress', () => describeReward(it, { ...progress, options: way }));
describe.each([0.5, 1, 0.01])('with a share of %d', (share) => {
  describe('balanced', () => describeReward(it, { ...balanced, options: { share } }));
  describe('dense', () => describeReward(it, { ...dense, options: { share } }));
});
describe('format', () => describeReward(it, { ...format, options: optionDefaults(formatOptions) }, { term: true }));
describe('cost', () => describeReward(it, { ...cost, options: optionDefaults(costOptions) }, { term: true }));
