import type { PythonRequirement } from '@agentgym/cli';

/** The Python that plays. `agentgym doctor` tells whether it is there. */
export const python: PythonRequirement = {
  kind: 'python',
  name: 'python',
  title: 'Python 3.9 or later',
  version: '>=3.9',
  // Edit here: add `packages: { numpy: '>=1.26' }` if the program imports some.
  get: 'Install Python 3.9 or later, or name one by AGENTGYM_PYTHON.',
};
