import type { OptionChecks, AlgorithmFinding, OptionsDeclaration, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  baseline: {
    type: 'choice',
    choices: ['none', 'group'],
    default: 'none',
    description:
      "What is normalised: what is earned from each token on, or the episode's return less its group's mean (REINFORCE++ with baseline)",
  },
  turnDiscount: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'What a reward is worth one turn earlier, with baseline: none',
  },
  tokenDiscount: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'What a reward is worth one sampled token earlier, with baseline: none',
  },
  deviation: {
    type: 'choice',
    choices: ['sample', 'population'],
    default: 'sample',
    description: 'Whether the deviation over tokens divides by their number n less 1, or by n',
  },
  varianceEpsilon: {
    type: 'number',
    minimum: 0,
    default: 1e-8,
    description: 'Added to the variance over tokens before the root is taken',
  },
  noSignalBelow: {
    type: 'number',
    minimum: 0,
    default: 1e-8,
    description: 'A batch whose deviation is not above this has no signal: its advantages are 0',
  },
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
  klCoefficient: {
    type: 'number',
    minimum: 0,
    default: 0,
    description: 'Weight of the divergence from the policy that training started from',
  },
  klIn: {
    type: 'choice',
    choices: ['reward', 'loss'],
    default: 'reward',
    description: "Where the divergence counts: taken from each token's reward, or a term of the loss",
  },
  klEstimator: {
    type: 'choice',
    choices: ['k1', 'abs', 'k2', 'k3', 'k3-straight-through'],
    default: 'k1',
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
  entropyCoefficient: { type: 'number', minimum: 0, default: 0, description: "Weight of the policy's entropy" },
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
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;

/**
 * Options that contradict each other or the recipe's `groupSize`, and those that are idle beside others, `epochs` and
 * `minibatches`.
 */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  const findings: AlgorithmFinding[] = [
    ...(chosen.baseline === 'group' ? checks.groupOfOne(settings) : []),
    ...checks.clips(chosen, ['clipLow', 'clipHigh', 'dualClip'], settings),
    ...checks.kl(chosen),
    ...checks.aggregation(chosen),
  ];
  if (chosen.baseline === 'group') {
    for (const name of ['turnDiscount', 'tokenDiscount']) {
      const beside = 'with baseline: group, which compares whole returns';
      findings.push(checks.idle(name, beside, `Remove ${name}, or set baseline: none.`));
    }
  }
  if (chosen.countEmpty && chosen.aggregation === 'token-mean') {
    findings.push(checks.idle('countEmpty', 'with aggregation: token-mean', 'Remove countEmpty.'));
  }
  return findings;
}
