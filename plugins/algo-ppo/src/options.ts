import type { AlgorithmFinding, GroupedOptions, OptionChecks, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  critic: {
    type: 'choice',
    choices: ['own', 'shared'],
    default: 'own',
    description:
      "Kind of critic: a second model that starts as a copy of the policy (own), or a value head on the policy's model (shared)",
  },
  criticLearningRate: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    default: null,
    description: "Peak learning rate of an own critic, on the schedule of the stage; unset: the policy's",
  },
  criticWarmup: {
    type: 'integer',
    minimum: 0,
    default: null,
    description:
      'Number of first steps of a stage in which only the critic learns; unset: 5 with critic: own, 0 with critic: shared',
  },
  valueCoefficient: {
    type: 'number',
    minimum: 0,
    default: 0.5,
    description: 'Weight of the loss of a shared critic, next to the loss of the policy',
  },
  valueClip: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    default: null,
    description: 'Maximum change of a value in one update that still lowers the loss; unset: no limit',
  },
  level: {
    type: 'choice',
    choices: ['token', 'turn'],
    default: 'token',
    description: 'Unit of a step between two values: each sampled token, or a whole turn',
  },
  lambda: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'GAE lambda, per step: 1 uses only rewards, 0 only the next value of the critic',
  },
  tokenDiscount: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'Discount of rewards per sampled token',
  },
  turnDiscount: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'Discount of rewards per turn',
  },
  bootstrap: {
    type: 'boolean',
    default: true,
    description: "Use the critic's value as the future return of a truncated episode; otherwise it is 0",
  },
  whiten: {
    type: 'boolean',
    default: true,
    description: 'Normalise the advantages of a batch to mean 0 and variance 1 over sampled tokens',
  },
  varianceEpsilon: {
    type: 'number',
    minimum: 0,
    default: 1e-8,
    description: 'Added to the variance of the advantages before its root divides them',
  },
  noSignalBelow: {
    type: 'number',
    minimum: 0,
    default: 1e-8,
    description: 'If the deviation of the advantages is not above this, whitened advantages are 0',
  },
  clip: { group: 'clip' },
  kl: { group: 'kl', change: { klIn: { default: 'reward' }, klEstimator: { default: 'k1' } } },
  entropyCoefficient: { group: 'entropy' },
  aggregation: {
    group: 'aggregation',
    change: {
      aggregation: { description: 'How to combine the losses of tokens of policy and critic into one number' },
    },
  },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/**
 * Options that contradict each other, and options without effect because of others, `epochs` or `minibatches`. A group
 * of one is allowed.
 */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  const findings: AlgorithmFinding[] = [
    ...checks.clips(chosen, ['clipLow', 'clipHigh', 'dualClip', 'valueClip'], settings),
    ...checks.kl(chosen),
    ...checks.aggregation(chosen),
  ];
  const idle = (...finding: Parameters<OptionChecks['idle']>): void => void findings.push(checks.idle(...finding));
  if (chosen.critic === 'shared') {
    const beside = 'with critic: shared: the value head learns in the steps of the policy';
    idle('criticLearningRate', beside, 'Remove criticLearningRate, or set critic: own.');
  } else if (chosen.valueCoefficient > 0) {
    const beside = 'with critic: own: the loss of a second model has no other term';
    idle(
      'valueCoefficient',
      beside,
      'Remove valueCoefficient, or set critic: shared; criticLearningRate sets the speed of learning.',
    );
  }
  if (chosen.critic === 'shared' && chosen.valueCoefficient === 0) {
    idle('valueClip', 'with valueCoefficient: 0', 'Remove valueClip, or raise valueCoefficient.');
  }
  if (!chosen.whiten) {
    for (const name of ['varianceEpsilon', 'noSignalBelow']) {
      idle(name, 'with whiten: false', `Remove ${name}, or whiten: false.`);
    }
  }
  return findings;
}
