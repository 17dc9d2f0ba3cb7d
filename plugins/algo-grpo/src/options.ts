import type { OptionChecks, AlgorithmFinding, OptionsDeclaration, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
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
  overlongLimit: {
    type: 'integer',
    minimum: 1,
    default: null,
    description: 'Sampled tokens of an episode from which the whole overlong penalty is due; unset: none is',
  },
  overlongBuffer: {
    type: 'integer',
    minimum: 1,
    default: null,
    description: 'Tokens before overlongLimit over which the penalty grows; unset: it falls due at once',
  },
  overlongPenalty: { type: 'number', minimum: 0, default: 1, description: 'The whole overlong penalty' },
  ratioLevel: {
    type: 'choice',
    choices: ['token', 'sequence'],
    default: 'token',
    description: "Ratio to the sampling policy: of each token, or the geometric mean over an episode's tokens (GSPO)",
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
  ratioCap: {
    type: 'number',
    minimum: 1,
    exclusiveMinimum: true,
    default: null,
    description: 'Highest ratio of the side that is not clipped; unset: no bound',
  },
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

/** Groups without signal are left out; but where tokens pay for their divergence, none is without. */
export function dropsFlatGroups({ dropFlatGroups, klCoefficient, klIn }: Options): boolean {
  return dropFlatGroups && !(klCoefficient > 0 && klIn === 'reward');
}

/**
 * Options that contradict each other or the recipe's `groupSize`, and those that are idle beside others, `epochs` and
 * `minibatches`.
 */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  const findings: AlgorithmFinding[] = [
    ...checks.groupOfOne(settings),
    ...checks.clips(chosen, ['clipLow', 'clipHigh', 'dualClip', 'ratioCap'], settings),
    ...checks.kl(chosen),
    ...checks.aggregation(chosen),
  ];
  const idle = (...finding: Parameters<OptionChecks['idle']>): void => void findings.push(checks.idle(...finding));
  if (chosen.scaling === 'none') idle('deviationEpsilon', 'with scaling: none', 'Remove deviationEpsilon.');
  if (chosen.level === 'episode') {
    idle('turnDiscount', 'with level: episode', 'Remove turnDiscount, or set level: turn.');
  }
  if (chosen.refillRounds > 0 && !dropsFlatGroups(chosen)) {
    idle('refillRounds', 'where flat groups are not left out', 'Remove refillRounds, or leave flat groups out.');
  }
  if (chosen.overlongLimit === null) {
    const hint = 'Remove it, or set overlongLimit.';
    if (chosen.overlongBuffer !== null) idle('overlongBuffer', 'without overlongLimit', hint);
    idle('overlongPenalty', 'without overlongLimit', hint);
  } else if (chosen.overlongBuffer !== null && chosen.overlongBuffer > chosen.overlongLimit) {
    findings.push({
      path: ['overlongBuffer'],
      message: `overlongBuffer is ${chosen.overlongBuffer}, longer than the ${chosen.overlongLimit} tokens of overlongLimit`,
      hint: 'Shorten it: every episode would be penalised.',
    });
  }
  if (chosen.klCoefficient > 0 && chosen.klIn === 'reward' && chosen.dropFlatGroups) {
    const beside = 'with klIn: reward: no group is flat where each token pays for its divergence';
    idle('dropFlatGroups', beside, 'Remove dropFlatGroups, or set klIn: loss.');
  }
  if (chosen.countEmpty && chosen.aggregation === 'token-mean') {
    idle('countEmpty', 'with aggregation: token-mean', 'Remove countEmpty.');
  }
  return findings;
}
