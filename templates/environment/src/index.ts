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
    // Edit here: `play: { thread: 'worker' }` where an action may take long, or never end.
    load: () => import('./template-name.js'),
  } satisfies EnvironmentContribution<typeof options>,
];
