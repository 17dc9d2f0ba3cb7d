import type { EnvironmentContribution } from '@agentgym/cli';

import { options, validate } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'babyai',
    summary: 'BabyAI: 96 levels of rooms, doors and things, with instructions in words',
    options,
    facts: ['progress', 'milestones'],
    // What is known of 20,000 tasks.
    play: { megabytes: 20 },
    load: () => import('./babyai.js'),
    validate,
  } satisfies EnvironmentContribution<typeof options>,
];
