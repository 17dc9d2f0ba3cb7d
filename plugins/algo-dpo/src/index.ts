import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'dpo',
    summary: 'Direct preference optimisation: learns to prefer the better of two episodes of one task',
    options,
    load: () => import('./dpo.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
