import type { OptionGroups } from '../contracts/option-groups.js';
import type { OptionDeclaration } from '../contracts/options.js';

/** The options that algorithms share, in the order in which help and recipes list them. */
export const optionGroups = {
  scaling: {
    scaling: {
      type: 'choice',
      choices: ['group', 'batch', 'none'],
      default: 'group',
      description: "What a return's distance from its group's mean is divided by: a deviation, or nothing (Dr. GRPO)",
    },
    deviationEpsilon: {
      type: 'number',
      minimum: 0,
      default: 1e-6,
      description: 'Added to the deviation before dividing',
    },
    noSignalBelow: {
      type: 'number',
      minimum: 0,
      default: 1e-8,
      description: 'A group whose deviation is not above this has no signal: its advantages are 0',
    },
  },
  comparison: {
    level: {
      type: 'choice',
      choices: ['episode', 'turn'],
      default: 'episode',
      description: 'What is compared: whole returns, or for each turn what is earned from it on',
    },
    turnDiscount: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 1,
      description: 'What a reward is worth one turn earlier, with level: turn',
    },
  },
  flatGroups: {
    dropFlatGroups: {
      type: 'boolean',
      default: true,
      description: 'Leave groups without signal out of the batch, and so out of its means',
    },
    refillRounds: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: 'Rounds of further tasks that a step may play in the place of groups without signal',
    },
  },
  discounts: {
    turnDiscount: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 1,
      description: 'What a reward is worth one turn earlier',
    },
    tokenDiscount: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 1,
      description: 'What a reward is worth one sampled token earlier',
    },
  },
  importance: {
    importance: {
      type: 'choice',
      choices: ['none', 'clipped', 'uncorrected'],
      default: 'clipped',
      description:
        'The ratio to the sampling policy: within bounds (PPO), which with one step a batch changes nothing; left out, for one step a batch; or left out however many steps there are',
    },
  },
  clip: {
    clipLow: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.2,
      description: 'The ratio to the sampling policy earns nothing below 1 - clipLow',
    },
    clipHigh: {
      type: 'number',
      minimum: 0,
      default: 0.2,
      description: 'The ratio to the sampling policy earns nothing above 1 + clipHigh',
    },
    dualClip: {
      type: 'number',
      minimum: 1,
      exclusiveMinimum: true,
      default: null,
      description: 'Highest loss of a token with a negative advantage, in multiples of that advantage; unset: no bound',
    },
  },
  kl: {
    klCoefficient: {
      type: 'number',
      minimum: 0,
      default: 0,
      description: 'Weight of the divergence from the policy that training started from',
    },
    klIn: {
      type: 'choice',
      choices: ['loss', 'reward'],
      default: 'loss',
      description: "Where the divergence counts: a term of the loss, or taken from each token's reward",
    },
    klEstimator: {
      type: 'choice',
      choices: ['k1', 'abs', 'k2', 'k3', 'k3-straight-through'],
      default: 'k3',
      description: 'How the divergence is estimated on a sampled token',
    },
    klTarget: {
      type: 'number',
      minimum: 0,
      exclusiveMinimum: true,
      default: null,
      description: 'Divergence per token that klCoefficient is steered to; unset: the coefficient stays',
    },
    klHorizon: {
      type: 'integer',
      minimum: 1,
      default: 10000,
      description: 'Episodes over which the steering to klTarget takes effect',
    },
  },
  entropy: {
    entropyCoefficient: { type: 'number', minimum: 0, default: 0, description: "Weight of the policy's entropy" },
  },
  aggregation: {
    aggregation: {
      type: 'choice',
      choices: ['token-mean', 'sequence-mean-token-mean', 'sequence-mean-token-sum', 'constant-length'],
      default: 'token-mean',
      description: 'How the losses of tokens become one number',
    },
    constantLength: {
      type: 'integer',
      minimum: 1,
      default: null,
      description: 'Tokens of an episode that `constant-length` divides by',
    },
    countEmpty: {
      type: 'boolean',
      default: false,
      description: 'An episode without a sampled token counts as 0 in means over episodes, as in TRL',
    },
  },
} as const satisfies {
  readonly [Group in keyof OptionGroups]: { readonly [Name in keyof OptionGroups[Group]]: OptionDeclaration };
};
