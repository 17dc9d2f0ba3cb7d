import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'rloo',
    summary: 'REINFORCE leave-one-out: each episode of a task is measured against the mean of the others',
    options,
    load: () => import('./rloo.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
