import type { AlgorithmFinding, GroupedOptions, OptionChecks, OptionsOf, UpdateSettings } from '@agentgym/cli';

// Edit here: the options of this algorithm, and groups that algorithms share, such as `clip` and `kl`.
// `agentgym describe algorithm template-name` and recipes read this declaration.
export const options = {
  clip: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.2,
    description: 'The loss ignores changes of the ratio beyond 1 - clip and 1 + clip',
  },
  entropyCoefficient: { group: 'entropy' },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/**
 * Settings without effect are errors: a group of one has no comparison, and with one update the ratio is always 1.
 */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  return [...checks.groupOfOne(settings), ...checks.clips(chosen, ['clip'], settings)];
}
