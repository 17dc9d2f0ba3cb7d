import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'dpo',
    summary: 'Direct preference optimisation: of two episodes of one task the better one is preferred',
    options,
    load: () => import('./dpo.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
