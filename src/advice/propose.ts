// What advice tells people to type has been tried before: a change must resolve, an ablation must be one that `ablate`
// would plan.
import { parseSetting } from '../config/parse-setting.js';
import { resolveRecipe } from '../config/resolve-recipe.js';
import type { Json } from '../contracts/json.js';
import { isAgentgymError } from '../errors/agentgym-error.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { planAblation } from '../ablation/plan-ablation.js';
import type { Trial } from './advice.js';

/** The recipe that is advised, as a user names it. */
export interface ProposalBase {
  /** What `--recipe` takes; absent: the project's recipe. */
  readonly source?: string;
  /** `--set` flags that the user gave. */
  readonly sets: readonly string[];
  readonly cwd: string;
  readonly runsFolder: string;
  readonly host: PluginHost;
  readonly settings: HostSettings;
}

/** A change as it is typed. */
export interface ProposedChange {
  /** Flags for `agentgym train`. */
  readonly flags: string;
  /** The whole command, with the flags that the user gave. */
  readonly command: string;
}

/** The flags that make a change; undefined where the recipe would be refused with them. */
export async function proposeChange(
  change: { readonly [key: string]: Json },
  { source, sets, cwd, host }: ProposalBase,
): Promise<ProposedChange | undefined> {
  const own = Object.entries(change).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  // What the change says again is the change's to say; a map that it reaches into stays.
  const isReplaced = (path: string) => Object.keys(change).some((key) => path === key || path.startsWith(`${key}.`));
  const kept = sets.filter((set) => !isReplaced(parseSetting(set).path.join('.')));
  const resolved = await unlessRefused(
    resolveRecipe({ ...(source !== undefined && { source }), sets: [...kept, ...own], cwd, host }),
  );
  if (resolved === undefined) return undefined;
  const flags = setFlags(own);
  const recipe = source === undefined ? [] : [quoted(source)];
  return { flags: flags.join(' '), command: ['agentgym train', ...recipe, ...setFlags(kept), ...flags].join(' ') };
}

/** The command of an experiment; undefined where `ablate` would refuse it. */
export async function proposeAblation({ axis, values }: Trial, base: ProposalBase): Promise<string | undefined> {
  const { source, cwd, runsFolder, host, settings } = base;
  const replaced = replacedKeys(axis, values !== undefined);
  const sets = base.sets.filter(
    (set) => !replaced.some((key) => `${parseSetting(set).path.join('.')}.`.startsWith(`${key}.`)),
  );
  const planned = await unlessRefused(
    planAblation({
      what: axis,
      ...(source !== undefined && { recipe: source }),
      ...(values !== undefined && { values }),
      sets,
      cwd,
      runsFolder,
      host,
      settings,
      yes: false,
    }),
  );
  if (planned === undefined || planned.cells.length < 2) return undefined;
  return [
    `agentgym ablate ${axis}`,
    ...(source === undefined ? [] : [`--recipe ${quoted(source)}`]),
    ...(values === undefined ? [] : [`--values ${quoted(JSON.stringify(values))}`]),
    ...setFlags(sets),
  ].join(' ');
}

/** Keys that the cells of an axis always set: a flag for one of them would have no effect, and is refused. */
function replacedKeys(axis: string, hasValues: boolean): readonly string[] {
  if (axis === 'sparsity') return ['reward.terms'];
  return axis === 'horizon' && hasValues ? ['horizon'] : [];
}

const setFlags = (sets: readonly string[]): readonly string[] => sets.map((set) => `--set ${quoted(set)}`);

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./=:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Proposals that agentgym refuses are dropped; defects are not hidden. */
async function unlessRefused<Value>(tried: Promise<Value>): Promise<Value | undefined> {
  try {
    return await tried;
  } catch (error) {
    if (isAgentgymError(error) && error.exitCode === 2) return undefined;
    throw error;
  }
}
