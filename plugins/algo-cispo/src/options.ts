import type { AlgorithmFinding, GroupedOptions, OptionChecks, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  scaling: { group: 'scaling' },
  comparison: { group: 'comparison' },
  flatGroups: { group: 'flatGroups' },
  clip: {
    group: 'clip',
    change: {
      clipLow: {
        default: null,
        description:
          "Lower bound of a token's weight (its ratio to the sampling policy) is 1 - clipLow; unset: no lower bound",
      },
      clipHigh: {
        default: 0.28,
        description: "Upper bound of a token's weight (its ratio to the sampling policy) is 1 + clipHigh",
      },
    },
    without: ['dualClip'],
  },
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
  const clipLow = checks.idle('clipLow', 'at 1: every ratio is at least 0', 'Remove clipLow, or lower it.');
  return [
    ...checks.groupOfOne(settings),
    ...checks.scaling(chosen),
    ...checks.comparison(chosen),
    ...checks.flatGroups(chosen),
    ...checks.clips(chosen, ['clipLow', 'clipHigh'], settings),
    ...checks.kl(chosen),
    ...checks.aggregation(chosen),
    ...(chosen.clipLow === 1 ? [clipLow] : []),
  ];
}
