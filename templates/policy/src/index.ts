import type { PolicyContribution } from '@agentgym/cli';

import { adamwOptions, options } from './options.js';

export default [
  {
    kind: 'policy',
    name: 'template-name',
    // Edit here: the sentence that `agentgym list` shows.
    summary: 'A linear softmax over the last tokens, in plain TypeScript',
    options,
    presets: [{ name: 'linear', summary: 'one matrix per last token' }],
    optimizers: [{ name: 'adamw', summary: 'AdamW on all weights', options: adamwOptions }],
    // A model that starts from a folder reads it from there.
    scratchOptions: ['window'],
    load: () => import('./template-name.js'),
  } satisfies PolicyContribution<typeof options>,
];
