import type { OptionFinding, OptionsDeclaration, OptionsOf } from '@agentgym/cli';

// Edit here: the options. `agentgym describe format template-name` and recipes read this declaration.
export const options = {
  arrow: { type: 'string', default: '->', description: 'The characters before the action' },
} as const satisfies OptionsDeclaration;

export type Options = OptionsOf<typeof options>;

/** An arrow without characters would be found everywhere, and one of spaces would be lost in the trimmed text. */
export function validate({ arrow }: Options): readonly OptionFinding[] {
  if (arrow !== '' && arrow === arrow.trim()) return [];
  const message = 'arrow must have at least one character, and no space at its ends';
  return [{ path: ['arrow'], message, hint: "Write arrow: '->'." }];
}
