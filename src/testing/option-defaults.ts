import type { GroupedOptions, OptionsOf } from '../contracts/options.js';
import { expandOptions } from '../credit/expand-options.js';

/** The default values of the options, to test a contribution with. */
export function optionDefaults<Declaration extends GroupedOptions>(declaration: Declaration): OptionsOf<Declaration> {
  const entries = Object.entries(expandOptions(declaration)).map(([name, option]) => [name, option.default]);
  return Object.fromEntries(entries) as OptionsOf<Declaration>;
}
