import { algorithmKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { options, type Options } from './options.js';
import * as module from './rloo.js';

const variants: Record<string, Partial<Options>> = {
  'as it comes': {},
  'turn by turn': { level: 'turn', turnDiscount: 0.9 },
  'as in verl': { importance: 'clipped', dualClip: 3, aggregation: 'token-mean' },
  'without flat groups': { dropFlatGroups: true, refillRounds: 2, level: 'turn' },
  'with a divergence in the reward': { klCoefficient: 0.05, klTarget: 0.02 },
  'with every term': {
    importance: 'clipped',
    klCoefficient: 0.01,
    klIn: 'loss',
    klEstimator: 'k3',
    entropyCoefficient: 0.01,
  },
  'with a constant length': { aggregation: 'constant-length', constantLength: 32, countEmpty: true },
};

describe.each(Object.entries(variants))('rloo %s', (_name, chosen) => {
  algorithmKit.describe(it, { ...module, options: { ...optionDefaults(options), ...chosen } });
});
