import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'reinforce',
    summary: 'REINFORCE: each turn is credited with its later rewards, minus a baseline (ReMax) or normalised (ReBN)',
    options,
    load: () => import('./reinforce.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
