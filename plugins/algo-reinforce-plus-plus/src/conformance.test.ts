import { algorithmKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { options, type Options } from './options.js';
import * as module from './reinforce-plus-plus.js';

const variants: Record<string, Partial<Options>> = {
  'as it comes': {},
  discounted: { turnDiscount: 0.9, tokenDiscount: 0.99 },
  'as in the paper': { klCoefficient: 0.01, deviation: 'population' },
  'with baseline': { baseline: 'group' },
  'with baseline, as in the paper': { baseline: 'group', klCoefficient: 0.01, klIn: 'loss', klEstimator: 'k2' },
  'with an adaptive divergence in the reward': { baseline: 'group', klCoefficient: 0.1, klTarget: 0.05 },
  'with every term': {
    dualClip: 3,
    klCoefficient: 0.01,
    klIn: 'loss',
    klEstimator: 'k3',
    entropyCoefficient: 0.01,
    aggregation: 'sequence-mean-token-mean',
    countEmpty: true,
  },
};

describe.each(Object.entries(variants))('reinforce++ %s', (_name, chosen) => {
  algorithmKit.describe(it, { ...module, options: { ...optionDefaults(options), ...chosen } });
});
