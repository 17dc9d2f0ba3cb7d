import type { EnvironmentContribution } from '@agentgym/cli';

import { options } from './shelf.js';

// Edit here: one entry for each environment of this project. Recipes take it by its name.
export default [
  {
    kind: 'environment',
    name: 'shelf',
    summary: 'Put books in order by swapping neighbours',
    options,
    facts: ['progress'],
    // Edit here: `play: { thread: 'worker' }` where an action may take long, or never end.
    load: () => import('./shelf.js'),
  } satisfies EnvironmentContribution<typeof options>,
];
