import type { OptionsDeclaration } from '../contracts/options.js';
import { describeOptionType } from './check-options.js';

/** Help for a declaration, two lines an option: its name, type and default, then what it does. */
export function optionLines(declaration: OptionsDeclaration): string[] {
  const names = Object.keys(declaration);
  if (names.length === 0) return ['none'];
  return Object.entries(declaration).flatMap(([name, option]) => {
    const value = option.default === null ? 'not set' : JSON.stringify(option.default);
    const levels =
      option.levels === undefined ? '' : `: ${option.levels.map((level) => JSON.stringify(level)).join(', ')}`;
    const axis = option.axis === true ? ` (an axis of complexity${levels})` : '';
    return [`${name}: ${describeOptionType(option)}; default ${value}`, `  ${option.description}${axis}`];
  });
}
