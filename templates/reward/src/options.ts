import type { OptionFinding, OptionsDeclaration, OptionsOf } from '@agentgym/cli';

// Edit here: the options. `agentgym describe reward template-name` and recipes read this declaration.
export const options = {
  keep: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.8,
    description: 'Share of the bonus for an early success that remains after each turn',
  },
  latest: {
    type: 'number',
    minimum: 0,
    exclusiveMinimum: true,
    maximum: 1,
    default: 0.5,
    description: 'Value that a late success approaches',
  },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;

/** A setting without effect is an error if the recipe sets it. */
export function validate({ keep, latest }: Options): readonly OptionFinding[] {
  if (keep === 1) {
    const message = 'latest has no effect with keep: 1, where a success is worth 1 in every turn';
    return [{ path: ['latest'], message, hint: 'Remove latest, or lower keep.', idle: true }];
  }
  if (latest === 1) {
    const message = 'keep has no effect with latest: 1, where a success is worth 1 in every turn';
    return [{ path: ['keep'], message, hint: 'Remove keep, or lower latest.', idle: true }];
  }
  return [];
}
