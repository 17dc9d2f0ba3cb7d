import { curriculumKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import * as band from './band.js';
import { bandOptions, weightsOptions } from './options.js';
import * as uniform from './uniform.js';
import * as weights from './weights.js';

describe('uniform', () => curriculumKit.describe(it, { ...uniform, options: {} }));
describe.each(['task', 'cluster', 'depth'])('band of each %s', (of) => {
  curriculumKit.describe(it, { ...band, options: { ...optionDefaults(bandOptions), of } });
});
describe('weights', () => curriculumKit.describe(it, { ...weights, options: optionDefaults(weightsOptions) }));
