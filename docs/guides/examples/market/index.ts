import type { EnvironmentContribution } from '@agentgym/cli';

export default [
  {
    kind: 'environment',
    name: 'market',
    summary: 'Buy the item with the lower price or weight, after calls that tell both',
    options: {},
    tools: true,
    load: () => import('./market.js'),
  } satisfies EnvironmentContribution,
];
