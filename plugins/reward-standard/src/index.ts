import type { RewardContribution } from '@agentgym/cli';

import { progressOptions, sparseOptions } from './options.js';

export default [
  {
    kind: 'reward',
    name: 'sparse',
    summary: '1 when the task is solved, else 0',
    options: sparseOptions,
    load: () => import('./sparse.js'),
  } satisfies RewardContribution<typeof sparseOptions>,
  {
    kind: 'reward',
    name: 'progress',
    summary: 'Progress as it is made, and 1 when the task is solved',
    options: progressOptions,
    load: () => import('./progress.js'),
  } satisfies RewardContribution<typeof progressOptions>,
];
