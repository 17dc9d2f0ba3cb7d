import type { EnvironmentContribution } from '@agentgym/cli';

import { findPython } from './find-python.js';
import { leasedGameOptions, pythonGameOptions } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'child-game',
    summary: 'Guess a number that a process of its own hides',
    options: {},
    play: { instances: 8, seconds: { create: 30, step: 5 } },
    load: () => import('./child-game.js'),
  } satisfies EnvironmentContribution,
  {
    kind: 'environment',
    name: 'leased-game',
    summary: 'Guess a number that a server hides, in five games at once',
    options: leasedGameOptions,
    validate: ({ url }) =>
      URL.canParse(url)
        ? []
        : [{ path: ['url'], message: `${url} is not an address`, hint: 'Write http://127.0.0.1:8765.' }],
    play: { instances: 5, seconds: { reset: 60, step: 5 } },
    load: () => import('./leased-game.js'),
  } satisfies EnvironmentContribution<typeof leasedGameOptions>,
  {
    kind: 'environment',
    name: 'python-game',
    summary: 'Guess a number that a Python process hides, in a hundred games at once',
    options: pythonGameOptions,
    play: { instances: 100, seconds: { open: 30, step: 5 } },
    diagnose: findPython,
    load: () => import('./python-game.js'),
  } satisfies EnvironmentContribution<typeof pythonGameOptions>,
];
