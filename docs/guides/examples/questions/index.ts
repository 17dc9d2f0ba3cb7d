import type { EnvironmentContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'questions',
    summary: 'Answer questions of a data set with a number',
    options,
    facts: ['references'],
    load: () => import('./questions.js'),
  } satisfies EnvironmentContribution<typeof options>,
];
