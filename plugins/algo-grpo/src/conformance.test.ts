import { describeAlgorithm, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import * as module from './grpo.js';
import { options, type Options } from './options.js';

const variants: Record<string, Partial<Options>> = {
  'as it comes': {},
  'as Dr. GRPO': { divideByDeviation: false, aggregation: 'constant-length', constantLength: 32 },
  'with every term': { dualClip: 3, klCoefficient: 0.01, klEstimator: 'k2', entropyCoefficient: 0.01 },
};

describe.each(Object.entries(variants))('grpo %s', (_name, chosen) => {
  describeAlgorithm(it, { ...module, options: { ...optionDefaults(options), ...chosen } });
});
