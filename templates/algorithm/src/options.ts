import type { AlgorithmFinding, GroupedOptions, OptionChecks, OptionsOf, UpdateSettings } from '@agentgym/cli';

// Edit here: what can be set, this algorithm's own options and groups that algorithms share, such as `clip` and `kl`.
// `agentgym describe algorithm template-name` and recipes read it from this declaration.
export const options = {
  clip: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.2,
    description: 'The ratio to the sampling policy earns nothing beyond 1 - clip and 1 + clip',
  },
  entropyCoefficient: { group: 'entropy' },
} as const satisfies GroupedOptions;

export type Options = OptionsOf<typeof options>;

/**
 * Settings that do nothing are errors: groups of one have nothing to be compared with, and one update has a ratio that
 * is always 1.
 */
export function validate(chosen: Options, settings: UpdateSettings, checks: OptionChecks): readonly AlgorithmFinding[] {
  return [...checks.groupOfOne(settings), ...checks.clips(chosen, ['clip'], settings)];
}
