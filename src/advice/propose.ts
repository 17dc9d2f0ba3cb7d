// Proposed commands are checked first: a change must resolve, and `ablate` must accept an experiment.
import { parseSetting } from '../config/parse-setting.js';
import { resolveRecipe } from '../config/resolve-recipe.js';
import type { Json } from '../contracts/json.js';
import { isAgentgymError } from '../errors/agentgym-error.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { planAblation } from '../ablation/plan-ablation.js';
import { shellCommand } from '../runs/shell-command.js';
import type { Trial } from './advice.js';

/** The advised recipe, as the user names it. */
export interface ProposalBase {
  /** The value for `--recipe`; absent: the project's recipe. */
  readonly source?: string | undefined;
  /** `--set` flags that the user gave. */
  readonly sets: readonly string[];
  readonly cwd: string;
  readonly runsFolder: string;
  readonly host: PluginHost;
  readonly settings: HostSettings;
}

/** A change in the form of flags and a command. */
export interface ProposedChange {
  /** Flags for `agentgym train`. */
  readonly flags: string;
  /** The whole command, including the flags that the user gave. */
  readonly command: string;
}

/** The flags of a change; undefined if the recipe would be refused with them. */
export async function proposeChange(
  change: { readonly [key: string]: Json },
  { source, sets, cwd, host }: ProposalBase,
): Promise<ProposedChange | undefined> {
  const own = Object.entries(change).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  // The change replaces flags for the same keys. Flags for a whole map stay if the change sets only part of it.
  const isReplaced = (path: string) => Object.keys(change).some((key) => path === key || path.startsWith(`${key}.`));
  const kept = sets.filter((set) => !isReplaced(parseSetting(set).path.join('.')));
  const { resolved } = await resolveRecipe({ source, sets: [...kept, ...own], cwd, host });
  if (resolved === undefined) return undefined;
  const recipe = source === undefined ? [] : [source];
  return {
    flags: shellCommand(setFlags(own)),
    command: shellCommand(['agentgym', 'train', ...recipe, ...setFlags([...kept, ...own])]),
  };
}

/** The command of an experiment; undefined if `ablate` would refuse it. */
export async function proposeAblation({ axis, values }: Trial, base: ProposalBase): Promise<string | undefined> {
  const { source, cwd, runsFolder, host, settings } = base;
  const replaced = replacedKeys(axis, values !== undefined);
  const sets = base.sets.filter(
    (set) => !replaced.some((key) => `${parseSetting(set).path.join('.')}.`.startsWith(`${key}.`)),
  );
  const planned = await unlessRefused(
    planAblation({ what: axis, recipe: source, values, sets, cwd, runsFolder, host, settings, yes: false }),
  );
  if (planned === undefined || planned.cells.length < 2) return undefined;
  const recipe = source === undefined ? [] : ['--recipe', source];
  const levels = values === undefined ? [] : ['--values', JSON.stringify(values)];
  return shellCommand(['agentgym', 'ablate', axis, ...recipe, ...levels, ...setFlags(sets)]);
}

/** Keys that the cells of an axis always set. A flag for one of them would have no effect, so it is refused. */
function replacedKeys(axis: string, hasValues: boolean): readonly string[] {
  if (axis === 'sparsity') return ['reward.terms'];
  return axis === 'horizon' && hasValues ? ['horizon'] : [];
}

const setFlags = (sets: readonly string[]): readonly string[] => sets.flatMap((set) => ['--set', set]);

/** Drops proposals that agentgym refuses, but does not hide defects. */
async function unlessRefused<Value>(tried: Promise<Value>): Promise<Value | undefined> {
  try {
    return await tried;
  } catch (error) {
    if (isAgentgymError(error) && error.exitCode === 2) return undefined;
    throw error;
  }
}
