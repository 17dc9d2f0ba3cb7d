import type { OptionChecks, AlgorithmFinding, OptionsDeclaration, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
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
  noSignalBelow: {
    type: 'number',
    minimum: 0,
    default: 1e-8,
    description: 'Returns whose deviation is not above this are equal: their advantages are 0',
  },
  dropFlatGroups: {
    type: 'boolean',
    default: false,
    description: 'Leave groups without signal out of the batch, and so out of its means',
  },
  refillRounds: {
    type: 'integer',
    minimum: 0,
    default: 0,
    description: 'Rounds of further tasks that a step may play in the place of groups without signal',
  },
  importance: {
    type: 'choice',
    choices: ['none', 'clipped', 'uncorrected'],
    default: 'clipped',
    description:
      'The ratio to the sampling policy: within bounds (PPO), which with one step a batch changes nothing; left out, for one step a batch; or left out however many steps there are',
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
    choices: ['loss', 'reward'],
    default: 'reward',
    description: "Where the divergence counts: a term of the loss, or taken from each token's reward",
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
    default: 'sequence-mean-token-sum',
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
 * Groups without signal are left out where that is asked for; but where tokens pay for their divergence, none is
 * without.
 */
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
    ...checks.kl(chosen),
    ...checks.aggregation(chosen),
  ];
  const idle = (...finding: Parameters<OptionChecks['idle']>): void => void findings.push(checks.idle(...finding));
  findings.push(...checks.correction(chosen.importance, settings));
  if (chosen.importance === 'clipped') {
    findings.push(...checks.clips(chosen, ['importance', 'clipLow', 'clipHigh', 'dualClip'], settings));
  } else {
    for (const name of ['clipLow', 'clipHigh', 'dualClip'] as const) {
      if (chosen[name] === null) continue;
      idle(name, `with importance: ${chosen.importance}`, `Remove ${name}, or set importance: clipped.`);
    }
  }
  if (chosen.level === 'episode') {
    idle('turnDiscount', 'with level: episode', 'Remove turnDiscount, or set level: turn.');
  }
  if (chosen.refillRounds > 0 && !dropsFlatGroups(chosen)) {
    const hint = 'Remove refillRounds, or leave flat groups out with dropFlatGroups: true.';
    idle('refillRounds', 'where flat groups are not left out', hint);
  }
  if (chosen.dropFlatGroups && !dropsFlatGroups(chosen)) {
    const beside = 'with klIn: reward: no group is flat where each token pays for its divergence';
    idle('dropFlatGroups', beside, 'Remove dropFlatGroups, or set klIn: loss.');
  }
  if (chosen.countEmpty && chosen.aggregation === 'token-mean') {
    idle('countEmpty', 'with aggregation: token-mean', 'Remove countEmpty, or take a mean over sequences.');
  }
  return findings;
}
