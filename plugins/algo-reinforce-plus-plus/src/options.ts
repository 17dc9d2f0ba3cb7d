import type { AlgorithmFinding, GroupedOptions, OptionChecks, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  baseline: {
    type: 'choice',
    choices: ['none', 'group'],
    default: 'none',
    description:
      'What to normalise: the rewards from each token on (none), or the return of the episode minus the mean of its group (group, REINFORCE++ with baseline)',
  },
  discounts: {
    group: 'discounts',
    change: {
      turnDiscount: { description: 'Discount of rewards per turn, with baseline: none' },
      tokenDiscount: { description: 'Discount of rewards per sampled token, with baseline: none' },
    },
  },
  deviation: {
    type: 'choice',
    choices: ['sample', 'population'],
    default: 'sample',
    description: 'Divide by n - 1 in the deviation over n tokens, instead of n',
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
    description: 'If the deviation of a batch is not above this, its advantages are 0',
  },
  clip: { group: 'clip' },
  kl: { group: 'kl', change: { klIn: { default: 'reward' }, klEstimator: { default: 'k1' } } },
  entropyCoefficient: { group: 'entropy' },
  aggregation: { group: 'aggregation' },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/**
 * Options that contradict each other or the recipe's `groupSize`, and options without effect because of others,
 * `epochs` or `minibatches`.
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
  return findings;
}
