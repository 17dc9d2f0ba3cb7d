import type { OptionChecks, AlgorithmFinding, OptionsDeclaration, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
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
  baseline: {
    type: 'choice',
    choices: ['none', 'moving', 'greedy'],
    default: 'none',
    description:
      "What is subtracted from returns: nothing, moving means of earlier batches by turn, or the return of the task's greedy episode (ReMax)",
  },
  movingDecay: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.9,
    description: 'Weight of what the moving means were before a batch, with baseline: moving',
  },
  normalize: {
    type: 'choice',
    choices: ['none', 'turns'],
    default: 'none',
    description: 'Whether the returns of all turns of a batch are brought to mean 0 and deviation 1 (ReBN)',
  },
  deviation: {
    type: 'choice',
    choices: ['population', 'sample'],
    default: 'population',
    description: 'Whether the deviation over turns divides by their number n, or by n - 1',
  },
  varianceEpsilon: {
    type: 'number',
    minimum: 0,
    default: 0,
    description: 'Added to the variance over turns before the root is taken',
  },
  noSignalBelow: {
    type: 'number',
    minimum: 0,
    default: 1e-8,
    description: 'Turns whose deviation is not above this have no signal: normalised, they are 0',
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
    choices: ['sequence-mean-token-sum', 'sequence-mean-token-mean', 'token-mean', 'constant-length'],
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

/** Options that contradict each other, and those that are idle beside others, `epochs` and `minibatches`. */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  const findings: AlgorithmFinding[] = [...checks.kl(chosen), ...checks.aggregation(chosen)];
  const idle = (...finding: Parameters<OptionChecks['idle']>): void => void findings.push(checks.idle(...finding));
  if (chosen.baseline !== 'moving') {
    const beside = `with baseline: ${chosen.baseline}`;
    idle('movingDecay', beside, 'Remove movingDecay, or set baseline: moving.');
  }
  if (chosen.normalize === 'none') {
    for (const name of ['deviation', 'varianceEpsilon', 'noSignalBelow']) {
      idle(name, 'with normalize: none', `Remove ${name}, or set normalize: turns.`);
    }
  }
  const bounds = ['clipLow', 'clipHigh', ...(chosen.dualClip === null ? [] : ['dualClip'])];
  findings.push(...checks.correction(chosen.importance, settings));
  if (chosen.importance === 'clipped') {
    findings.push(...checks.clips(chosen, ['importance', ...bounds], settings));
  } else {
    for (const name of bounds) {
      idle(name, `with importance: ${chosen.importance}`, `Remove ${name}, or set importance: clipped.`);
    }
  }
  if (chosen.countEmpty && chosen.aggregation === 'token-mean') {
    idle('countEmpty', 'with aggregation: token-mean', 'Remove countEmpty.');
  }
  if (chosen.baseline === 'moving' && chosen.normalize === 'turns') {
    findings.push({
      path: ['baseline'],
      message: 'baseline: moving and normalize: turns both take a mean from the same returns',
      hint: 'Set one of them to none: normalize: turns subtracts the mean of the batch itself.',
    });
  }
  if (chosen.baseline === 'greedy') {
    for (const name of ['turnDiscount', 'tokenDiscount'] as const) {
      if (chosen[name] === 1) continue;
      findings.push({
        path: [name],
        message: `${name} is ${chosen[name]}, and baseline: greedy is the undiscounted return of an episode`,
        hint: `Remove ${name}, or set baseline: moving, whose means are of discounted returns.`,
      });
    }
  }
  return findings;
}
