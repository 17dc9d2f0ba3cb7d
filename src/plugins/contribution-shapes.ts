import type { ContributionKind } from '../contracts/plugin.js';
import type { Shape } from '../errors/check-shape.js';

/** The required exports of a contribution's module. */
export const moduleShapes: { readonly [kind in ContributionKind]: Shape } = {
  environment: { open: 'function' },
  reward: { create: 'function' },
  policy: { create: 'function' },
  algorithm: { create: 'function' },
  format: { create: 'function' },
  tool: { create: 'function' },
  player: { create: 'function' },
  sampler: { create: 'function' },
};

/** The members of a created instance without which the loop would fail. */
export const instanceShapes: { readonly [kind in Exclude<ContributionKind, 'environment'>]: Shape } = {
  reward: { density: 'string', score: 'function', bounds: 'function' },
  policy: { capabilities: 'object', encoder: 'object', generate: 'function', forwardBackward: 'function' },
  algorithm: { roles: 'array', initialState: 'object', advantages: 'function', weights: 'function', loss: 'function' },
  format: { instructions: 'string', parse: 'function', render: 'function' },
  tool: { instructions: 'string', example: 'string', parse: 'function', begin: 'function' },
  player: { name: 'string', concurrency: 'number', act: 'function', describe: 'function' },
  sampler: { promises: 'object', connect: 'function', publish: 'function', generate: 'function', describe: 'function' },
};

/** The required members of a policy's estimate. */
export const estimateShape: Shape = {
  parameters: 'number',
  capabilities: { sampler: 'object' },
  bytes: 'object',
};
