import type { RewardContribution } from '@agentgym/cli';

import {
  callsOptions,
  costOptions,
  formatOptions,
  sparseOptions,
  validateVerified,
  verifiedOptions,
  wayOptions,
} from './options.js';

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
    summary: 'Every second milestone when it is reached, and 1 when the task is solved',
    options: wayOptions,
    needs: ['milestones'],
    load: () => import('./balanced.js'),
  } satisfies RewardContribution<typeof wayOptions>,
  {
    kind: 'reward',
    name: 'dense',
    summary: 'Every milestone when it is reached, and 1 when the task is solved',
    options: wayOptions,
    needs: ['milestones'],
    load: () => import('./dense.js'),
  } satisfies RewardContribution<typeof wayOptions>,
  {
    kind: 'reward',
    name: 'progress',
    summary: 'Progress when it is made, and 1 when the task is solved',
    options: wayOptions,
    needs: ['progress'],
    load: () => import('./progress.js'),
  } satisfies RewardContribution<typeof wayOptions>,
  {
    kind: 'reward',
    name: 'verified',
    summary: 'How well the last action fits a right answer of the task, from 0 to 1',
    options: verifiedOptions,
    validate: validateVerified,
    needs: ['references'],
    load: () => import('./verified.js'),
  } satisfies RewardContribution<typeof verifiedOptions>,
  {
    kind: 'reward',
    name: 'format',
    summary: 'A price for turns with malformed or cut text; use it next to an outcome reward',
    options: formatOptions,
    load: () => import('./format.js'),
  } satisfies RewardContribution<typeof formatOptions>,
  {
    kind: 'reward',
    name: 'cost',
    summary: 'Prices for turns, sampled tokens, invalid actions and tool calls; use it next to an outcome reward',
    options: costOptions,
    toolOptions: ['toolCall'],
    load: () => import('./cost.js'),
  } satisfies RewardContribution<typeof costOptions>,
  {
    kind: 'reward',
    name: 'calls',
    summary: 'Pays for calls of tools that are answered, and charges for others; use it next to an outcome reward',
    options: callsOptions,
    needsTools: true,
    load: () => import('./calls.js'),
  } satisfies RewardContribution<typeof callsOptions>,
];
