import { findLevelName, levelNames } from '../levels/level-names.js';
import { planLengths } from '../levels/plan-lengths.js';
import { agentGymLevels } from './agentgym-levels.js';

/** The options that select levels. */
interface Choice {
  readonly levels: readonly string[];
  readonly planLength: number | null;
  readonly compat: string;
}

/** Names of the levels that the options select, in their order, each once. */
export function chooseLevels({ levels, planLength, compat }: Choice): readonly string[] {
  const given = levels.length > 0 ? levels : compat === 'agentgym' ? agentGymLevels : levelNames;
  const chosen = new Set(given.map((name) => findLevelName(name)).filter((name) => name !== undefined));
  return [...chosen].filter((name) => planLength === null || (planLengths[name] ?? 0) <= planLength);
}

/** What training does not have with `splits: levels`: every fifth, if none are named. */
export function heldOutLevels(
  chosen: readonly string[],
  { heldOut }: { readonly heldOut: readonly string[] },
): ReadonlySet<string> {
  if (heldOut.length === 0) return new Set(chosen.filter((_, place) => place % 5 === 4));
  return new Set(heldOut.map((name) => findLevelName(name)).filter((name) => name !== undefined));
}
