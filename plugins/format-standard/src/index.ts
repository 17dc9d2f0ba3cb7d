import type { FormatContribution } from '@agentgym/cli';

import { plainOptions } from './options.js';

export default [
  {
    kind: 'format',
    name: 'plain',
    summary: 'The whole text is the action',
    options: plainOptions,
    load: () => import('./plain.js'),
  } satisfies FormatContribution<typeof plainOptions>,
];
