import type { EnvironmentContribution } from '@agentgym/cli';

import { options, validate } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'textcraft',
    summary: 'Craft Minecraft items from a list of recipes: 544 goals in four depths',
    options,
    facts: ['progress', 'milestones'],
    load: () => import('./textcraft.js'),
    validate,
  } satisfies EnvironmentContribution<typeof options>,
];
