import type { EnvironmentContribution } from '@agentgym/cli';

import { options } from './shelf.js';

// Edit here: one entry per environment of this project. Recipes use its name.
export default [
  {
    kind: 'environment',
    name: 'shelf',
    summary: 'Put books in order by swapping neighbours',
    options,
    facts: ['progress'],
    // Edit here: add `play: { thread: 'worker' }` if an action may take long, or never end.
    load: () => import('./shelf.js'),
  } satisfies EnvironmentContribution<typeof options>,
];
