import type { CurriculumContribution } from '@agentgym/cli';

import { bandOptions, validateBand, validateWeights, weightsOptions } from './options.js';

export default [
  {
    kind: 'curriculum',
    name: 'uniform',
    summary: 'Every training task equally often',
    options: {},
    load: () => import('./uniform.js'),
  } satisfies CurriculumContribution<Record<never, never>>,
  {
    kind: 'curriculum',
    name: 'band',
    summary: 'Tasks that were solved sometimes: their success so far lies in a band',
    options: bandOptions,
    validate: validateBand,
    load: () => import('./band.js'),
  } satisfies CurriculumContribution<typeof bandOptions>,
  {
    kind: 'curriculum',
    name: 'weights',
    summary: 'Environments whose weights change from step to step',
    options: weightsOptions,
    validate: validateWeights,
    load: () => import('./weights.js'),
  } satisfies CurriculumContribution<typeof weightsOptions>,
];
