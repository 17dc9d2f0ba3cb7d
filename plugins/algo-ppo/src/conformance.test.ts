import { algorithmKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { options, type Options } from './options.js';
import * as module from './ppo.js';

const variants: Record<string, Partial<Options>> = {
  'as it comes': {},
  'as verl': { bootstrap: false, dualClip: 3, criticWarmup: 0, criticLearningRate: 1e-5, valueClip: 0.5 },
  "as the Practitioner's Guide": { klCoefficient: 0.01, bootstrap: false },
  'turn by turn, as GEM': { level: 'turn', lambda: 0.95, turnDiscount: 0.9, valueClip: 0.2 },
  'with a shared trunk': { critic: 'shared', valueCoefficient: 1 },
  'with raw advantages': { whiten: false, lambda: 0.95, tokenDiscount: 0.99 },
  'with an adaptive divergence in the reward': { klCoefficient: 0.1, klTarget: 0.05 },
  'with every term': { klCoefficient: 0.01, klIn: 'loss', klEstimator: 'k2', klTarget: 0.1, entropyCoefficient: 0.01 },
  'with means over episodes': { aggregation: 'sequence-mean-token-mean', countEmpty: true },
  'with a constant length': { aggregation: 'constant-length', constantLength: 32 },
};

describe.each(Object.entries(variants))('ppo %s', (_name, chosen) => {
  algorithmKit.describe(it, { ...module, options: { ...optionDefaults(options), ...chosen } });
});
