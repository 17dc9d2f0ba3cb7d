import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'cispo',
    summary:
      'Clipped importance-sampling policy optimisation: the weights of tokens are clipped, and every token keeps its gradient',
    options,
    load: () => import('./cispo.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
