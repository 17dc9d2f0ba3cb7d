import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'ppo',
    summary: 'Proximal policy optimisation: a critic estimates the value of every token or turn',
    options,
    load: () => import('./ppo.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
