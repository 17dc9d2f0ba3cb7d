import type { PlayerContribution, SamplerContribution } from '@agentgym/cli';

import { options, validate } from './options.js';
import { samplerOptions } from './sampler-options.js';

export default [
  {
    kind: 'player',
    name: 'openai',
    summary: 'A text model behind an OpenAI-compatible endpoint: vLLM, Ollama, llama.cpp, hosted models',
    options,
    validate,
    load: () => import('./text-player.js'),
  } satisfies PlayerContribution<typeof options>,
  {
    kind: 'sampler',
    name: 'openai',
    summary: 'vLLM, or another endpoint with token ids and log probabilities, which takes adapters while it runs',
    options: samplerOptions,
    load: () => import('./token-sampler.js'),
  } satisfies SamplerContribution<typeof samplerOptions>,
];
