import type { ToolContribution } from '@agentgym/cli';

import { options } from './options.js';

export default [
  {
    kind: 'tool',
    name: 'calculator',
    summary: 'Computes arithmetic expressions, and stores the last answer as ans',
    options,
    load: () => import('./calculator.js'),
  } satisfies ToolContribution<typeof options>,
];
