import { algorithmKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import * as module from './dpo.js';
import { options, type Options } from './options.js';

const variants: Record<string, Partial<Options>> = {
  'as it comes': {},
  'as AgentGym': { beta: 0.5, margin: 0.01, pairsPerTask: 1 },
  'with all pairs, and other tasks for groups without': { pairing: 'all', pairsPerTask: 3, refillRounds: 4 },
  // The kit's reference is far from its policy. A small beta makes 1 / (2 beta) larger than every difference, so that
  // winners still gain.
  'as IPO': { loss: 'ipo', beta: 0.005 },
  'as IPO in TRL': { loss: 'ipo', lengthNormalized: true },
  'with every term': { labelSmoothing: 0.1, sftCoefficient: 1, lengthNormalized: true },
};

describe.each(Object.entries(variants))('dpo %s', (_name, chosen) => {
  algorithmKit.describe(it, { ...module, options: { ...optionDefaults(options), ...chosen } });
});
