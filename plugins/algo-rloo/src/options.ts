import type { AlgorithmFinding, GroupedOptions, OptionChecks, OptionsOf, UpdateSettings } from '@agentgym/cli';

export const options = {
  comparison: { group: 'comparison' },
  noSignalBelow: {
    type: 'number',
    minimum: 0,
    default: 1e-8,
    description: 'If the deviation of the returns is not above this, they count as equal and their advantages are 0',
  },
  flatGroups: { group: 'flatGroups', change: { dropFlatGroups: { default: false } } },
  importance: { group: 'importance' },
  clip: { group: 'clip' },
  kl: { group: 'kl', change: { klIn: { default: 'reward' }, klEstimator: { default: 'k1' } } },
  entropyCoefficient: { group: 'entropy' },
  aggregation: { group: 'aggregation', change: { aggregation: { default: 'sequence-mean-token-sum' } } },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/**
 * Options that contradict each other or the recipe's `groupSize`, and options without effect because of others,
 * `epochs` or `minibatches`.
 */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  return [
    ...checks.groupOfOne(settings),
    ...checks.comparison(chosen),
    ...checks.flatGroups(chosen),
    ...checks.importance(chosen, settings),
    ...checks.kl(chosen),
    ...checks.aggregation(chosen),
  ];
}
