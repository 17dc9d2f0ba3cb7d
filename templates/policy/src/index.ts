import type { PolicyContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'policy',
    name: 'template-name',
    // Edit here: one sentence for lists.
    summary: 'A linear softmax over the last tokens, in plain TypeScript',
    options,
    presets: [{ name: 'linear', summary: 'one matrix for each of the last tokens' }],
    // Read from the folder where a model starts from one.
    scratchOptions: ['window'],
    load: () => import('./template-name.js'),
  } satisfies PolicyContribution<typeof options>,
];
