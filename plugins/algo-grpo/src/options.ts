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

/** Options that do nothing beside others, or beside the recipe's `groupSize`, `epochs` and `minibatches`. */
export function validate(chosen: Options, settings: UpdateSettings): readonly OptionFinding[] {
  const findings: OptionFinding[] = [];
  const complain = (path: readonly string[], message: string, hint: string): void => {
    findings.push({ path, message, hint });
  };
  if (settings.groupSize < 2) {
    const message = 'a group of one episode has nothing to be compared with: every advantage is 0';
    complain([], message, 'Set algorithm.groupSize to 2 or more, such as 16.');
  }
  if (settings.epochs === 1 && settings.minibatches === 1) {
    const idle = ['clipLow', 'clipHigh', ...(chosen.dualClip === null ? [] : ['dualClip'])];
    const message = 'has no effect with one epoch and one minibatch: the policy is still the one that sampled';
    for (const name of idle) {
      complain([name], `${name} ${message}`, `Remove ${name}, or raise algorithm.minibatches or algorithm.epochs.`);
    }
  }
  if (!chosen.divideByDeviation) {
    const message = 'deviationEpsilon has no effect with divideByDeviation: false';
    complain(['deviationEpsilon'], message, 'Remove deviationEpsilon.');
  }
  if (chosen.klCoefficient === 0) {
    const message = 'klEstimator has no effect with klCoefficient: 0';
    complain(['klEstimator'], message, 'Remove klEstimator, or set klCoefficient, such as 0.001.');
  }
  if (chosen.aggregation === 'constant-length' && chosen.constantLength === null) {
    const message = 'aggregation: constant-length needs constantLength';
    complain(['aggregation'], message, 'Set constantLength to the tokens a policy may sample in an episode.');
  }
  if (chosen.aggregation !== 'constant-length' && chosen.constantLength !== null) {
    const message = `constantLength has no effect with aggregation: ${chosen.aggregation}`;
    complain(['constantLength'], message, 'Remove constantLength, or set aggregation: constant-length.');
  }
  return findings;
}
