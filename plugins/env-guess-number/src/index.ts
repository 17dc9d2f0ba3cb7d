import type { EnvironmentContribution } from '@agentgym/cli';

import { options, validate } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'guess-number',
    summary: 'Guess a hidden number; each reply says higher or lower',
    options,
    validate,
    facts: ['progress', 'milestones', 'references'],
    load: () => import('./guess-number.js'),
  } satisfies EnvironmentContribution<typeof options>,
];
