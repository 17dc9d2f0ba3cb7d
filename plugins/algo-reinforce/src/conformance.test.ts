import { algorithmKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { options, type Options } from './options.js';
import * as module from './reinforce.js';

const variants: Record<string, Partial<Options>> = {
  'as it comes': {},
  discounted: { turnDiscount: 0.9, tokenDiscount: 0.99 },
  'with a moving baseline': { baseline: 'moving', turnDiscount: 0.9 },
  'as ReMax': { baseline: 'greedy', aggregation: 'token-mean' },
  'with ReBN': { normalize: 'turns', turnDiscount: 0.9 },
  'with ReBN as its scripts have it': {
    normalize: 'turns',
    deviation: 'sample',
    importance: 'clipped',
    aggregation: 'constant-length',
    constantLength: 32,
  },
  'with ReBN, a baseline and a divergence in the reward': {
    normalize: 'turns',
    baseline: 'greedy',
    klCoefficient: 0.1,
    klTarget: 0.05,
  },
  'with every term': {
    baseline: 'moving',
    importance: 'clipped',
    dualClip: 3,
    klCoefficient: 0.01,
    klIn: 'loss',
    klEstimator: 'k2',
    entropyCoefficient: 0.01,
    countEmpty: true,
  },
};

describe.each(Object.entries(variants))('reinforce %s', (_name, chosen) => {
  algorithmKit.describe(it, { ...module, options: { ...optionDefaults(options), ...chosen } });
});
