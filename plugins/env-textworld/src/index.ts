import type { EnvironmentContribution } from '@agentgym/cli';

import { options, validate } from './options.js';

export default [
  {
    kind: 'environment',
    name: 'textworld',
    summary: 'Text adventures of TextWorld: rooms, objects and quests, generated or from game files',
    options,
    facts: ['progress', 'milestones'],
    // 256 games with what was visited of them, and the facts of many more tasks.
    play: { megabytes: 150 },
    load: () => import('./textworld.js'),
    validate,
  } satisfies EnvironmentContribution<typeof options>,
];
