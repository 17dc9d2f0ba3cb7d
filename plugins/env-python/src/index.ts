import type { EnvironmentContribution } from '@agentgym/cli';

import { options, python, validate } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'python',
    summary: "Any environment of Gymnasium's API in Python, with texts",
    options,
    validate,
    requires: ({ packages }) => [python(packages)],
    load: () => import('./open-python.js'),
  } satisfies EnvironmentContribution<typeof options>,
];
