import type { GroupedOptions, OptionsOf } from '../contracts/options.js';
import { expandOptions } from '../credit/expand-options.js';

/** The values that code receives where nobody wrote any: what a contribution is tested with. */
export function optionDefaults<Declaration extends GroupedOptions>(declaration: Declaration): OptionsOf<Declaration> {
  const entries = Object.entries(expandOptions(declaration)).map(([name, option]) => [name, option.default]);
  return Object.fromEntries(entries) as OptionsOf<Declaration>;
}
