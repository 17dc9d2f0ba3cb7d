import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'cispo',
    summary: 'Clipped importance-sampling policy optimisation: weights are clipped, and no token loses its derivative',
    options,
    load: () => import('./cispo.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
