import type { OptionFinding, OptionsDeclaration, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  divideByDeviation: {
    type: 'boolean',
    default: true,
    description: "Divide a return's distance from its group's mean by the group's deviation; false is Dr. GRPO",
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
  dropFlatGroups: {
    type: 'boolean',
    default: true,
    description: 'Leave groups without signal out of the batch, and so out of its means',
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
  klEstimator: {
    type: 'choice',
    choices: ['k3', 'k2'],
    default: 'k3',
    description: 'How the divergence is estimated on a sampled token',
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
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;

/** Options that contradict each other or the recipe's `groupSize`, and those that are idle beside others, `epochs` and `minibatches`. */
export function validate(chosen: Options, settings: UpdateSettings): readonly OptionFinding[] {
  const findings: OptionFinding[] = [];
  const idle = (option: keyof Options, beside: string, hint: string): void => {
    findings.push({ path: [option], message: `${option} has no effect ${beside}`, hint, idle: true });
  };
  if (settings.groupSize < 2) {
    findings.push({
      path: [],
      message: 'a group of one episode has nothing to be compared with: every advantage is 0',
      hint: 'Set algorithm.groupSize to 2 or more, such as 16.',
    });
  }
  if (chosen.aggregation === 'constant-length' && chosen.constantLength === null) {
    findings.push({
      path: ['aggregation'],
      message: 'aggregation: constant-length needs constantLength',
      hint: 'Set constantLength to the tokens that a policy may sample in an episode.',
    });
  }
  if (chosen.aggregation !== 'constant-length' && chosen.constantLength !== null) {
    const hint = 'Remove constantLength, or set aggregation: constant-length.';
    idle('constantLength', `with aggregation: ${chosen.aggregation}`, hint);
  }
  if (settings.epochs === 1 && settings.minibatches === 1) {
    for (const option of ['clipLow', 'clipHigh', 'dualClip'] as const) {
      if (chosen[option] === null) continue;
      const beside = 'with one epoch and one minibatch: the policy is still the one that sampled';
      idle(option, beside, `Remove ${option}, or raise algorithm.minibatches or algorithm.epochs.`);
    }
  }
  if (!chosen.divideByDeviation) {
    idle('deviationEpsilon', 'with divideByDeviation: false', 'Remove deviationEpsilon.');
  }
  if (chosen.klCoefficient === 0) {
    idle('klEstimator', 'with klCoefficient: 0', 'Remove klEstimator, or set klCoefficient, such as 0.001.');
  }
  return findings;
}
