import type { EnvironmentContribution } from '@agentgym/cli';

import { options, validate } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'alfworld',
    summary:
      'Household tasks of ALFWorld in text: find, clean, heat, cool and move things; generated or from game files',
    options,
    facts: ['progress', 'milestones'],
    // 256 kitchens held 66 MB after 20 turns in each.
    play: { megabytes: 100 },
    load: () => import('./alfworld.js'),
    validate,
  } satisfies EnvironmentContribution<typeof options>,
];
