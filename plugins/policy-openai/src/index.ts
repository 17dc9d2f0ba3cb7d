import type { PlayerContribution } from '@agentgym/cli';

import { options, validate } from './options.js';

export default [
  {
    kind: 'player',
    name: 'openai',
    summary: 'A text model behind an OpenAI-compatible endpoint: vLLM, Ollama, llama.cpp, hosted models',
    options,
    validate,
    load: () => import('./text-player.js'),
  } satisfies PlayerContribution<typeof options>,
];
