import type { EnvironmentContribution } from '@agentgym/cli';

import { options, requiredPython, validate } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'python',
    summary: "Any environment of Gymnasium's API in Python, with texts",
    options,
    validate,
    requires: (chosen) => [requiredPython(chosen)],
    load: () => import('./open-python.js'),
  } satisfies EnvironmentContribution<typeof options>,
];
