import type { RewardContribution } from '@agentgym/cli';

import { costOptions, formatOptions, sparseOptions, wayOptions } from './options.js';

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
    name: 'balanced',
    summary: 'Every second milestone as it is reached, and 1 when the task is solved',
    options: wayOptions,
    needs: ['milestones'],
    load: () => import('./balanced.js'),
  } satisfies RewardContribution<typeof wayOptions>,
  {
    kind: 'reward',
    name: 'dense',
    summary: 'Every milestone as it is reached, and 1 when the task is solved',
    options: wayOptions,
    needs: ['milestones'],
    load: () => import('./dense.js'),
  } satisfies RewardContribution<typeof wayOptions>,
  {
    kind: 'reward',
    name: 'progress',
    summary: 'Progress as it is made, and 1 when the task is solved',
    options: wayOptions,
    needs: ['progress'],
    load: () => import('./progress.js'),
  } satisfies RewardContribution<typeof wayOptions>,
  {
    kind: 'reward',
    name: 'format',
    summary: 'A price on turns whose text was no action or was cut: a term beside an outcome',
    options: formatOptions,
    load: () => import('./format.js'),
  } satisfies RewardContribution<typeof formatOptions>,
  {
    kind: 'reward',
    name: 'cost',
    summary: 'Prices on turns, sampled tokens, invalid actions and calls of tools: a term beside an outcome',
    options: costOptions,
    toolOptions: ['toolCall'],
    load: () => import('./cost.js'),
  } satisfies RewardContribution<typeof costOptions>,
];
