import { describeReward, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { progressOptions, sparseOptions } from './options.js';
import * as progress from './progress.js';
import * as sparse from './sparse.js';

describe('sparse', () => describeReward(it, { ...sparse, options: optionDefaults(sparseOptions) }));
describe('progress', () =>
  describeReward(it, { ...progress, options: optionDefaults(progressOptions) }, { progressFalls: true }));
