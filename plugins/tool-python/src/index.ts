import type { ToolContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'tool',
    name: 'python',
    summary: 'Runs programs in Python in a sandbox, and keeps their files until the episode ends',
    options,
    // Programs may look at the clock and draw random numbers.
    external: true,
    load: () => import('./python.js'),
  } satisfies ToolContribution<typeof options>,
];
