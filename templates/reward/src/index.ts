import type { RewardContribution } from '@agentgym/cli';

import { options, validate } from './options.js';

export default [
  {
    kind: 'reward',
    name: 'template-name',
    // Edit here: the sentence that `agentgym list` shows.
    summary: 'A success is worth more the earlier it comes',
    options,
    validate,
    load: () => import('./template-name.js'),
  } satisfies RewardContribution<typeof options>,
];
