import { createHash } from 'node:crypto';

import type { Json } from '../contracts/json.js';
import { parseSetting, type Setting } from '../config/parse-setting.js';
import { formatPath, isKeyMap } from '../config/recipe-layer.js';
import type { Recipe } from '../config/recipe-schema.js';
import { resolveRecipe, type RecipeRequest } from '../config/resolve-recipe.js';
import { planRun } from '../config/run-plan.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { checkRecipeRewards } from '../experiments/open-parts.js';
import type { AblationPlan, CellPlan, CellSettings } from './ablation-plan.js';

/** A cell whose recipe is checked. */
export interface Cell extends CellPlan {
  /** The resolved recipe. Each run replaces its seed. */
  readonly recipe: Recipe;
  /** Settings that have no effect in this cell, and why. */
  readonly notes: readonly string[];
}

/** The recipe that cells change, with the settings that all share. */
export type CellBase = Required<Pick<RecipeRequest, 'cwd' | 'sets'>> &
  Pick<RecipeRequest, 'source'> & { readonly host: PluginHost };

/**
 * Resolves the recipe of every cell.
 *
 * @throws AG_ABLATION_GRID if two cells have the same recipe; errors of a cell's recipe, with the name of the cell
 */
export async function resolveCells(
  plan: AblationPlan,
  shared: CellSettings,
  base: CellBase,
  settings: HostSettings,
): Promise<readonly [Cell, ...Cell[]]> {
  refuseOverlap(plan, base.sets);
  const cells: Cell[] = [];
  const seen = new Map<string, Cell>();
  for (const cell of plan.cells) {
    const resolved = await settleRewards(await resolveCell(cell, shared, base), base.host, settings);
    const twin = seen.get(fingerprint(resolved.recipe));
    if (twin !== undefined) throw sameCells(twin, resolved);
    seen.set(fingerprint(resolved.recipe), resolved);
    cells.push(resolved);
  }
  const [first, ...others] = cells;
  if (first === undefined) throw new AgentgymError('AG_ABLATION_GRID', { message: 'The ablation has no cells.' });
  return [first, ...others];
}

/** Eight hexadecimal digits that identify the recipes of all cells, without their seeds, descriptions and trackers. */
export function ablationFingerprint(cells: readonly Cell[]): string {
  return digest(cells.map(({ id, recipe }) => [id, fingerprint(recipe)])).slice(0, 8);
}

/** Refuses a user's flag that some or all cells would override. */
function refuseOverlap(plan: AblationPlan, sets: CellBase['sets']): void {
  for (const set of sets) {
    const { flag, path } = typeof set === 'string' ? parseSetting(set) : set;
    const own = path.join('.');
    const overlaps = ([key, value]: readonly [string, Json]) =>
      key === own ||
      key.startsWith(`${own}.`) ||
      (own.startsWith(`${key}.`) && saysKey(value, own.slice(key.length + 1)));
    const cell = plan.cells.find(({ settings }) => Object.entries(settings).some(overlaps));
    if (cell === undefined) continue;
    throw new AgentgymError('AG_RECIPE_IDLE_SETTING', {
      message: `\`${flag}\` has no effect, because the cell ${cell.id} sets it.`,
      hint: 'Remove the flag, or give the cells other values.',
    });
  }
}

/**
 * Whether a value that is laid over a recipe sets the first key of a path. A map does not change keys that it lacks.
 */
function saysKey(value: Json, path: string): boolean {
  const [key = ''] = path.split('.');
  return !isKeyMap(value) || key in value;
}

async function resolveCell(cell: CellPlan, shared: CellSettings, base: CellBase): Promise<Cell> {
  const notes: string[] = [];
  let settings = [...settingsOf(shared, 'all cells'), ...settingsOf(cell.settings, `cell ${cell.id}`)];
  for (;;) {
    try {
      const { recipe } = await resolveRecipe({ ...base, sets: [...base.sets, ...settings] });
      return { ...cell, recipe, notes };
    } catch (error) {
      // In a grid, a setting can be idle in some cells, and a note says so. Any other idle setting is the user's
      // mistake.
      const idle = idleSettings(error, settings);
      if (idle.length === 0) throw named(cell, error);
      for (const { path, message } of idle) {
        notes.push(message);
        settings = settings.flatMap((setting) => withoutKey(setting, path) ?? []);
      }
    }
  }
}

/** Unsets `reward.allowInversion` in a cell where no failure can score like a success. Other cells may need it. */
async function settleRewards(cell: Cell, host: PluginHost, settings: HostSettings): Promise<Cell> {
  try {
    await checkRecipeRewards(planRun(cell.recipe), host, settings, () => 'recipe');
    return cell;
  } catch (error) {
    if (!isAgentgymError(error) || error.code !== 'AG_RECIPE_IDLE_SETTING' || error.path === undefined) {
      throw named(cell, error);
    }
    const recipe = withValue(cell.recipe, error.path.split('.'), false) as Recipe;
    return settleRewards({ ...cell, recipe, notes: [...cell.notes, error.message] }, host, settings);
  }
}

function withValue(value: unknown, [key, ...rest]: readonly string[], leaf: unknown): unknown {
  if (key === undefined) return leaf;
  return isKeyMap(value) ? { ...value, [key]: withValue(value[key], rest, leaf) } : value;
}

function settingsOf(settings: CellSettings, whose: string): readonly Setting[] {
  return Object.entries(settings).map(([key, value]) => ({
    flag: `${whose}: ${key}=${JSON.stringify(value)}`,
    path: key.split('.'),
    value,
  }));
}

/** The grid's own settings that the error calls idle. Empty if the error reports anything else. */
function idleSettings(error: unknown, settings: readonly Setting[]): readonly { path: string; message: string }[] {
  if (!isAgentgymError(error)) return [];
  const findings = (error.findings ?? [error]).map(({ code, path = '', message }) => ({ code, path, message }));
  // A key of a map may be the recipe's own: the cell cannot leave it out.
  const isOwn = (path: string) => settings.some((setting) => withoutKey(setting, path) !== setting);
  const idle = findings.filter(({ code, path }) => code === 'AG_RECIPE_IDLE_SETTING' && isOwn(path));
  if (idle.length < findings.length) return [];
  // The path already names the key. The whole map before every sentence about one of its keys would hide it.
  return idle.map(({ path, message }) => ({ path, message: message.replace(/^`cell .*?`: (?=[a-z]+\.)/s, '') }));
}

/**
 * A setting without the key at a path. A setting of exactly this key is removed, and a map loses the key. The same
 * setting if it does not have the key.
 */
function withoutKey(setting: Setting, path: string): Setting | undefined {
  const own = formatPath(setting.path);
  if (own === path) return undefined;
  if (!path.startsWith(`${own}.`)) return setting;
  const value = withoutPath(setting.value, path.slice(own.length + 1).split('.'));
  return value === setting.value ? setting : { ...setting, value };
}

function withoutPath(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (!isKeyMap(value) || key === undefined || !(key in value)) return value;
  const { [key]: inner, ...others } = value;
  if (rest.length === 0) return others;
  const left = withoutPath(inner, rest);
  return left === inner ? value : { ...value, [key]: left };
}

function named({ id }: CellPlan, error: unknown): unknown {
  if (!isAgentgymError(error)) return error;
  const { code, hint, file, line, path, findings, message } = error;
  return new AgentgymError(code, {
    message: `Cell ${id}: ${message}`,
    hint,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(path !== undefined && { path }),
    ...(findings && { findings: findings.map((one) => ({ ...one, message: `Cell ${id}: ${one.message}` })) }),
    cause: error,
  });
}

function sameCells(a: Cell, b: Cell): AgentgymError {
  const notes = [...a.notes, ...b.notes];
  const because = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  return new AgentgymError('AG_ABLATION_GRID', {
    message: `The cells ${a.id} and ${b.id} have the same recipe${because}.`,
    hint: 'Remove one of the two.',
  });
}

function fingerprint({ description: _, tracking: __, ...recipe }: Recipe): string {
  return digest({ ...recipe, seed: 0 });
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
