import type { EnvironmentContribution } from '@agentgym/cli';

export default [
  {
    kind: 'environment',
    name: 'workshop',
    summary: 'Write a program that answers a question about the numbers in a file',
    options: {},
    load: () => import('./workshop.js'),
  } satisfies EnvironmentContribution,
];
