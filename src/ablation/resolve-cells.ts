import { createHash } from 'node:crypto';

import type { Json } from '../contracts/json.js';
import { parseSetting, type Setting } from '../config/parse-setting.js';
import { isKeyMap } from '../config/recipe-layer.js';
import type { Recipe } from '../config/recipe-schema.js';
import { acceptRecipe, resolveRecipe, type RecipeRequest, type ResolvedRecipe } from '../config/resolve-recipe.js';
import type { RunPlan } from '../config/run-plan.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { AblationPlan, CellPlan, CellSettings } from './ablation-plan.js';

/** A cell whose recipe is checked. */
export interface Cell extends CellPlan {
  /** The resolved recipe. Each run replaces its seed. */
  readonly recipe: Recipe;
  /** Settings that have no effect in this cell, and why. */
  readonly notes: readonly string[];
}

/** The recipe that cells change, with the settings that all share. */
export type CellBase = Required<Pick<RecipeRequest, 'cwd' | 'sets' | 'checkRewards'>> &
  Pick<RecipeRequest, 'source'> & { readonly host: PluginHost };

/** Cells, and the plan of each by its id. */
export interface ResolvedCells {
  readonly cells: readonly [Cell, ...Cell[]];
  readonly plans: ReadonlyMap<string, RunPlan>;
}

/**
 * Resolves the recipe of every cell.
 *
 * @throws AG_ABLATION_GRID if two cells have the same recipe; errors of a cell's recipe, with the name of the cell
 */
export async function resolveCells(plan: AblationPlan, shared: CellSettings, base: CellBase): Promise<ResolvedCells> {
  refuseOverlap(plan, base.sets);
  const cells: Cell[] = [];
  const plans = new Map<string, RunPlan>();
  const seen = new Map<string, Cell>();
  for (const planned of plan.cells) {
    const { resolved, notes } = await resolveCell(planned, shared, base);
    const cell = { ...planned, recipe: resolved.recipe, notes };
    const twin = seen.get(fingerprint(cell.recipe));
    if (twin !== undefined) throw sameCells(twin, cell);
    seen.set(fingerprint(cell.recipe), cell);
    cells.push(cell);
    plans.set(cell.id, resolved.plan);
  }
  const [first, ...others] = cells;
  if (first === undefined) throw new AgentgymError('AG_ABLATION_GRID', { message: 'The ablation has no cells.' });
  return { cells: [first, ...others], plans };
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

/** A setting without effect is a note: in a grid, other cells may need it. */
async function resolveCell(
  planned: CellPlan,
  shared: CellSettings,
  base: CellBase,
): Promise<{ readonly resolved: ResolvedRecipe; readonly notes: readonly string[] }> {
  const cell = [...settingsOf(shared, 'all cells'), ...settingsOf(planned.settings, `cell ${planned.id}`)];
  try {
    const resolution = await resolveRecipe({ ...base, cell });
    return { resolved: acceptRecipe(resolution), notes: resolution.idle.map(({ message }) => message) };
  } catch (error) {
    throw named(planned, error);
  }
}

function settingsOf(settings: CellSettings, whose: string): readonly Setting[] {
  return Object.entries(settings).map(([key, value]) => ({
    flag: `${whose}: ${key}=${JSON.stringify(value)}`,
    path: key.split('.'),
    value,
  }));
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
