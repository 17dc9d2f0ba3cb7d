import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'expert-iteration',
    summary: "Expert iteration: fine-tunes the policy on the policy's own good episodes",
    options,
    load: () => import('./expert-iteration.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
