import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'grpo',
    summary: 'Group relative policy optimisation: episodes of one task are measured against each other',
    options,
    load: () => import('./grpo.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
