import type { OptionsDeclaration, OptionsOf } from '@agentgym/cli';

import { options as player } from './options.js';

export const samplerOptions = {
  logprobsMode: {
    type: 'choice',
    choices: ['raw', 'processed'],
    default: 'raw',
    description:
      'Log probabilities that the server gives: before the temperature (raw), which only training at temperature 1 can use, or after it (processed: `vllm serve --logprobs-mode processed_logprobs`)',
  },
  seeds: {
    type: 'boolean',
    default: true,
    description:
      'Send a seed with each request, so that the draws depend on the seed of the run. Without seeds, some servers sample faster',
  },
  serverFolder: {
    type: 'string',
    default: null,
    description: 'The folder `policy.sampler.folder` as the server sees it; unset: by the same path',
  },
  keyVariable: player.keyVariable,
  concurrency: {
    type: 'integer',
    minimum: 1,
    maximum: 4096,
    default: 256,
    description: 'Requests that are open at the same time; the server batches them',
  },
  timeoutSeconds: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    maximum: 3600,
    default: 600,
    description: 'Longest wait for one answer',
  },
  retries: player.retries,
} as const satisfies OptionsDeclaration;

export type SamplerOptions = OptionsOf<typeof samplerOptions>;
