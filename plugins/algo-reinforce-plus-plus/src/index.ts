import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'reinforce-plus-plus',
    summary:
      'REINFORCE++: clipped policy gradients with advantages that are normalised over the whole batch, no critic',
    options,
    load: () => import('./reinforce-plus-plus.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
