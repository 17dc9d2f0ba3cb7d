import type { OptionsDeclaration, OptionsOf } from '../contracts/options.js';

/** The values that code receives where nobody wrote any: what a contribution is tested with. */
export function optionDefaults<Declaration extends OptionsDeclaration>(
  declaration: Declaration,
): OptionsOf<Declaration> {
  const entries = Object.entries(declaration).map(([name, option]) => [name, option.default]);
  return Object.fromEntries(entries) as OptionsOf<Declaration>;
}
