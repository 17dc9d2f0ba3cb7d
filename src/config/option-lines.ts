import type { OptionsDeclaration } from '../contracts/options.js';
import type { ContributionKind } from '../contracts/plugin.js';
import { describeOptionType } from './check-options.js';

/**
 * Help for a declaration, two lines per option: its name, type and default, then what it does. Ablations vary the axes
 * of environments only, so those of other kinds are not named.
 */
export function optionLines(declaration: OptionsDeclaration, kind: ContributionKind): string[] {
  const names = Object.keys(declaration);
  if (names.length === 0) return ['none'];
  return Object.entries(declaration).flatMap(([name, option]) => {
    const value = option.default === null ? 'not set' : JSON.stringify(option.default);
    const levels =
      option.levels === undefined ? '' : `: ${option.levels.map((level) => JSON.stringify(level)).join(', ')}`;
    const axis = kind === 'environment' && option.axis === true ? ` (varied by \`ablate complexity\`${levels})` : '';
    const resumable = option.resumable === true ? ' (may change at a resume)' : '';
    return [`${name}: ${describeOptionType(option)}; default ${value}`, `  ${option.description}${axis}${resumable}`];
  });
}
