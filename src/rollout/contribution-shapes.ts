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
  curriculum: { create: 'function' },
};

const promises = { independent: 'boolean', draws: 'boolean', exact: 'boolean' } as const;

/** The members of an opened world without which the loop would fail. */
export const worldShape: Shape = {
  instructions: 'string',
  create: 'function',
  splits: 'object',
};

/** The same of an instance of a world. */
export const environmentShape: Shape = { reset: 'function', step: 'function', act: 'function' };

/** The same of an instance of another kind. */
export const instanceShapes: { readonly [kind in Exclude<ContributionKind, 'environment'>]: Shape } = {
  reward: { density: 'string', score: 'function', bounds: 'function' },
  policy: {
    capabilities: { sampler: promises },
    encoder: {
      begin: 'function',
      append: 'function',
      encodeAction: 'function',
      decode: 'function',
      piece: 'function',
      endIds: 'array',
    },
    generate: 'function',
    release: 'function',
    forwardBackward: 'function',
    optimizerStep: 'function',
    resetOptimizer: 'function',
    logprobs: 'function',
    freeze: 'function',
    save: 'function',
    load: 'function',
    describe: 'function',
    dispose: 'function',
  },
  algorithm: { roles: 'array', initialState: 'object', advantages: 'function', weights: 'function', loss: 'function' },
  format: { instructions: 'string', parse: 'function', render: 'function' },
  tool: { instructions: 'string', example: 'string', parse: 'function', begin: 'function' },
  player: { name: 'string', concurrency: 'number', act: 'function', describe: 'function' },
  curriculum: { initialState: 'object', choose: 'function' },
  sampler: { promises, connect: 'function', publish: 'function', generate: 'function', describe: 'function' },
};

/** The same of a reward that is a judge. */
const judgeShape: Shape = { density: 'string', judge: 'function', bounds: 'function' };

/** The members that an instance of a kind needs. */
export function instanceShape(kind: keyof typeof instanceShapes, made: unknown): Shape {
  const isJudge = kind === 'reward' && typeof made === 'object' && made !== null && 'judge' in made;
  return isJudge ? judgeShape : instanceShapes[kind];
}

/** The required members of a policy's estimate. */
export const estimateShape: Shape = {
  parameters: 'number',
  capabilities: { sampler: 'object' },
  bytes: 'object',
};
