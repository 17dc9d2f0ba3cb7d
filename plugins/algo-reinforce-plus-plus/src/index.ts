import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'reinforce-plus-plus',
    summary: 'REINFORCE++: clipped policy gradients without a critic; advantages are normalised over the whole batch',
    options,
    load: () => import('./reinforce-plus-plus.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
