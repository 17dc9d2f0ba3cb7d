import { algorithmKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import * as module from './expert-iteration.js';
import { options, type Options } from './options.js';

const variants: Record<string, Partial<Options>> = {
  'as it comes': {},
  'as AgentEvol filters': { keep: 'return', returnAbove: 0.99, perTask: 1 },
  'as ReST-EM filters': { perTask: 10, aggregation: 'sequence-mean-token-sum' },
  'with every copy, and other tasks for hopeless ones': { distinct: false, refillRounds: 4 },
  'with an adaptive divergence': { klCoefficient: 0.01, klEstimator: 'k2', klTarget: 0.05, klHorizon: 100 },
  'with every term': {
    klCoefficient: 0.01,
    entropyCoefficient: 0.01,
    aggregation: 'constant-length',
    constantLength: 32,
  },
};

describe.each(Object.entries(variants))('expert-iteration %s', (_name, chosen) => {
  algorithmKit.describe(it, { ...module, options: { ...optionDefaults(options), ...chosen } });
});
