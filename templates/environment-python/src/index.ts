import type { EnvironmentContribution } from '@agentgym/cli';

import { options } from './options.js';
import { python } from './python.js';

export default [
  {
    kind: 'environment',
    name: 'template-name',
    // Edit here: the sentence that `agentgym list` shows.
    summary: 'A lift fetches a passenger and brings it to its floor',
    options,
    facts: ['progress'],
    requires: () => [python],
    load: () => import('./template-name.js'),
  } satisfies EnvironmentContribution<typeof options>,
];
