import type { PlayerContribution, RewardContribution, SamplerContribution } from '@agentgym/cli';

import { judgeOptions, validateJudge } from './judge-options.js';
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
  {
    kind: 'reward',
    name: 'judged',
    summary: 'The grade that a model behind an OpenAI-compatible endpoint gives an episode by a rubric, from 0 to 1',
    options: judgeOptions,
    validate: validateJudge,
    external: true,
    load: () => import('./judge.js'),
  } satisfies RewardContribution<typeof judgeOptions>,
];
