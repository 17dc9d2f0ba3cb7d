import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'ppo',
    summary: 'Proximal policy optimisation: a critic says what every token, or every turn, was worth',
    options,
    load: () => import('./ppo.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
