import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'gigpo',
    summary: 'Group-in-group policy optimisation: GRPO that also compares turns from the same state',
    options,
    load: () => import('./gigpo.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
