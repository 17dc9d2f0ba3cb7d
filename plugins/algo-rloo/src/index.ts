import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'rloo',
    summary: 'REINFORCE leave-one-out: compares each episode of a task with the mean of the others',
    options,
    load: () => import('./rloo.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
