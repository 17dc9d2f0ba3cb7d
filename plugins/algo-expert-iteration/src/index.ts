import type { AlgorithmContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'algorithm',
    name: 'expert-iteration',
    summary: 'Expert iteration: the policy is fine-tuned on those of its own episodes that went well',
    options,
    load: () => import('./expert-iteration.js'),
  } satisfies AlgorithmContribution<typeof options>,
];
