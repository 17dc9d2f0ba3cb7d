import { playerKit, samplerKit, optionDefaults } from '@agentgym/cli/testing';
import { describe, it } from 'vitest';

import { options } from './options.js';
import { samplerOptions } from './sampler-options.js';
import { create } from './text-player.js';
import { create as createSampler } from './token-sampler.js';

describe('the kit of players', () => {
  playerKit.describe(it, { create, options: { ...optionDefaults(options), retries: 1 } });
});

describe('the kit of samplers', () => {
  samplerKit.describe(it, { create: createSampler, options: { ...optionDefaults(samplerOptions), retries: 1 } });
});
