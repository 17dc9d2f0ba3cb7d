import type { ContributionKind } from '../contracts/plugin.js';
import type { Shape } from '../errors/check-shape.js';

const taskSource: Shape = { id: 'function', random: 'function' };

/** What the module of a contribution exports. */
export const moduleShapes: { readonly [kind in ContributionKind]: Shape } = {
  environment: { tasks: 'function', create: 'function' },
  reward: { create: 'function' },
  policy: { create: 'function' },
  algorithm: { create: 'function' },
  format: { create: 'function' },
  tool: { create: 'function' },
};

/** What `tasks` of an environment gives. */
export const tasksShape: Shape = { train: taskSource, validation: taskSource, test: taskSource };

/** What `create` of a contribution gives, as far as the loop would fall over it. */
export const instanceShapes: { readonly [kind in ContributionKind]: Shape } = {
  environment: { instructions: 'string', reset: 'function', step: 'function', sampleAction: 'function' },
  reward: { density: 'string', score: 'function', bounds: 'function' },
  policy: { capabilities: 'object', encoder: 'object', generate: 'function', forwardBackward: 'function' },
  algorithm: { roles: 'array', initialState: 'object', advantages: 'function', weights: 'function', loss: 'function' },
  format: { instructions: 'string', parse: 'function', render: 'function' },
  tool: { instructions: 'string', example: 'string', parse: 'function', begin: 'function' },
};
