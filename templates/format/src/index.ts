import type { FormatContribution } from '@agentgym/cli';

import { options, validate } from './options.js';

export default [
  {
    kind: 'format',
    name: 'template-name',
    // Edit here: the sentence that `agentgym list` shows.
    summary: 'Thoughts, an arrow, and the action',
    options,
    validate,
    load: () => import('./template-name.js'),
  } satisfies FormatContribution<typeof options>,
];
