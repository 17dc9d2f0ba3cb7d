import type { EnvironmentContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'lamp',
    summary: 'Walk along a dark corridor to the lamp',
    options,
    facts: ['progress'],
    load: () => import('./lamp.js'),
  } satisfies EnvironmentContribution<typeof options>,
];
