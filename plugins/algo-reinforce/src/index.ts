import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'reinforce',
    summary:
      'REINFORCE: every turn is credited with what is earned from it on, less a baseline (ReMax) or normalised (ReBN)',
    options,
    load: () => import('./reinforce.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
