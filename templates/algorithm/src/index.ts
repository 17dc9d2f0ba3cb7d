import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'template-name',
    // Edit here: the sentence that `agentgym list` shows.
    summary: 'REINFORCE with a leave-one-out baseline and a clipped ratio',
    options,
    load: () => import('./template-name.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
