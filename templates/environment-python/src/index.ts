import type { EnvironmentContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'template-name',
    // Edit here: the sentence that `agentgym list` shows.
    summary: 'A lift fetches a passenger and brings it to its floor',
    options,
    facts: ['progress'],
    // The Python that plays. `agentgym doctor` tells whether it is there.
    requires: () => [
      {
        kind: 'python',
        name: 'python',
        title: 'Python 3.9 or later',
        version: '>=3.9',
        // Edit here: add `packages: { numpy: '>=1.26' }` if the program imports some.
        get: 'Install Python 3.9 or later, or name one by AGENTGYM_PYTHON.',
      },
    ],
    load: () => import('./template-name.js'),
  } satisfies EnvironmentContribution<typeof options>,
];
