import type { AlgorithmFinding, GroupedOptions, OptionChecks, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  critic: {
    type: 'choice',
    choices: ['own', 'shared'],
    default: 'own',
    description:
      "What the critic is: a second model that begins as a copy of the policy, or a head on the policy's own trunk",
  },
  criticLearningRate: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    default: null,
    description: "Peak of an own critic's learning rate, on the stage's schedule; unset: the policy's",
  },
  criticWarmup: {
    type: 'integer',
    minimum: 0,
    default: null,
    description:
      'First steps of a stage in which only the critic learns; unset: 5 with critic: own, 0 with critic: shared',
  },
  valueCoefficient: {
    type: 'number',
    minimum: 0,
    default: 0.5,
    description: "Weight of a shared critic's loss beside the policy's",
  },
  valueClip: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    default: null,
    description: 'Farther than this from what it said before the update, a value earns nothing; unset: no bound',
  },
  level: {
    type: 'choice',
    choices: ['token', 'turn'],
    default: 'token',
    description: 'What takes a step from one value to the next: each sampled token, or a whole turn',
  },
  lambda: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'Weight of longer looks ahead: 1 trusts what was earned, 0 trusts the critic',
  },
  tokenDiscount: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'What a reward is worth one sampled token earlier',
  },
  turnDiscount: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'What a reward is worth one turn earlier',
  },
  bootstrap: {
    type: 'boolean',
    default: true,
    description: "What a truncated episode would have earned after the cut is the critic's guess; otherwise nothing",
  },
  whiten: {
    type: 'boolean',
    default: true,
    description: 'Give the advantages of a batch mean 0 and variance 1 over sampled tokens',
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
    description: 'Advantages whose deviation is not above this have no signal: whitened, they are 0',
  },
  clip: { group: 'clip' },
  kl: { group: 'kl', change: { klIn: { default: 'reward' }, klEstimator: { default: 'k1' } } },
  entropyCoefficient: { group: 'entropy' },
  aggregation: {
    group: 'aggregation',
    change: {
      aggregation: { description: "How the losses of tokens, the policy's and the critic's, become one number" },
    },
  },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/**
 * Options that contradict each other, and those that are idle beside others, `epochs` and `minibatches`. A group of one
 * is as good as any.
 */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  const findings: AlgorithmFinding[] = [
    ...checks.clips(chosen, ['clipLow', 'clipHigh', 'dualClip', 'valueClip'], settings),
    ...checks.kl(chosen),
    ...checks.aggregation(chosen),
  ];
  const idle = (...finding: Parameters<OptionChecks['idle']>): void => void findings.push(checks.idle(...finding));
  if (chosen.critic === 'shared') {
    const beside = "with critic: shared: a head on the policy's trunk learns in the policy's own steps";
    idle('criticLearningRate', beside, 'Remove criticLearningRate, or set critic: own.');
  } else if (chosen.valueCoefficient > 0) {
    const beside = 'with critic: own: nothing else is in the loss of a second model';
    idle(
      'valueCoefficient',
      beside,
      'Remove valueCoefficient, or set critic: shared; criticLearningRate sets the pace.',
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
