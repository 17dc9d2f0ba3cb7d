import { describeTextPlayer, describeTokenSampler, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { options } from './options.js';
import { samplerOptions } from './sampler-options.js';
import { create } from './text-player.js';
import { create as createSampler } from './token-sampler.js';

describe('the kit of players', () => {
  describeTextPlayer(it, { create, options: { ...optionDefaults(options), retries: 1 } });
});

describe('the kit of samplers', () => {
  describeTokenSampler(it, { create: createSampler, options: { ...optionDefaults(samplerOptions), retries: 1 } });
});
