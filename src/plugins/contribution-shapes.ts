import type { ContributionKind } from '../contracts/plugin.js';
import type { Shape } from '../errors/check-shape.js';

/** What the module of a contribution exports. */
export const moduleShapes: { readonly [kind in ContributionKind]: Shape } = {
  environment: { open: 'function' },
  reward: { create: 'function' },
  policy: { create: 'function' },
  algorithm: { create: 'function' },
  format: { create: 'function' },
  tool: { create: 'function' },
};

/** What `create` of a contribution gives, as far as the loop would fall over it. */
export const instanceShapes: { readonly [kind in Exclude<ContributionKind, 'environment'>]: Shape } = {
  reward: { density: 'string', score: 'function', bounds: 'function' },
  policy: { capabilities: 'object', encoder: 'object', generate: 'function', forwardBackward: 'function' },
  algorithm: { roles: 'array', initialState: 'object', advantages: 'function', weights: 'function', loss: 'function' },
  format: { instructions: 'string', parse: 'function', render: 'function' },
  tool: { instructions: 'string', example: 'string', parse: 'function', begin: 'function' },
};

/** What `estimate` of a policy gives. */
export const estimateShape: Shape = {
  parameters: 'number',
  capabilities: { sampler: 'object' },
  bytes: 'object',
  mostBeside: 'object',
};
