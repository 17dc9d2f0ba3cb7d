import type { AlgorithmFinding, GroupedOptions, OptionChecks, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  anchorWeight: {
    type: 'number',
    minimum: 0,
    default: 1,
    description:
      'Weight of the comparison of turns that start from the same state; 0: only episodes are compared (GRPO)',
  },
  discounts: {
    group: 'discounts',
    without: ['tokenDiscount'],
    change: {
      turnDiscount: { default: 0.95, description: 'Discount of rewards per turn, in the comparison of turns' },
    },
  },
  scaling: { group: 'scaling' },
  flatGroups: { group: 'flatGroups' },
  clip: { group: 'clip' },
  kl: { group: 'kl' },
  entropyCoefficient: { group: 'entropy' },
  aggregation: { group: 'aggregation' },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/**
 * Options that contradict each other or the recipe's `groupSize`, and options without effect because of others,
 * `epochs` or `minibatches`.
 */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  const hint = 'Remove turnDiscount, or set anchorWeight above 0.';
  return [
    ...checks.groupOfOne(settings),
    ...(chosen.anchorWeight === 0 ? [checks.idle('turnDiscount', 'with anchorWeight: 0', hint)] : []),
    ...checks.scaling(chosen),
    ...checks.flatGroups(chosen),
    ...checks.clips(chosen, ['clipLow', 'clipHigh', 'dualClip'], settings),
    ...checks.kl(chosen),
    ...checks.aggregation(chosen),
  ];
}
