import type { EnvironmentContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'template-name',
    // Edit here: one sentence for lists.
    summary: 'A courier fetches a parcel and drops it at a door',
    options,
    facts: ['progress', 'milestones'],
    load: () => import('./template-name.js'),
  } satisfies EnvironmentContribution<typeof options>,
];
