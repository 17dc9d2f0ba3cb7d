import type { EnvironmentContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'template-name',
    // Edit here: the sentence that `agentgym list` shows.
    summary: 'A courier fetches a parcel and drops it at a door',
    options,
    facts: ['progress', 'milestones'],
    // Edit here: add `play: { thread: 'worker' }` if an action may take long, or never end.
    load: () => import('./template-name.js'),
  } satisfies EnvironmentContribution<typeof options>,
];
