import { isAbsolute, relative } from 'node:path';

import { builtInRecipes } from '../config/built-in-recipes.js';
import type { Recipe } from '../config/recipe-schema.js';
import { acceptRecipe, resolveRecipe } from '../config/resolve-recipe.js';
import type { Json } from '../contracts/json.js';
import { isAgentgymError } from '../errors/agentgym-error.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { LoadedRun } from '../runs/load-run.js';
import { recipeDifference } from '../runs/recipe-difference.js';
import { differingKeys, recipeLeaves } from '../runs/recipe-leaves.js';
import { manifestPath } from '../runs/run-manifest.js';
import { shellCommand } from '../runs/shell-command.js';

/**
 * A command that repeats the training. For a built-in recipe it has the name, the seed and the changes, if a check
 * shows that they give the recipe of the run. Otherwise it uses the recipe in the run's manifest.
 */
export async function repeatCommand(
  { directory, manifest }: Pick<LoadedRun, 'directory' | 'manifest'>,
  { cwd, host }: { readonly cwd: string; readonly host: PluginHost },
): Promise<string> {
  const { name, recipe } = manifest;
  const isBuiltIn = (await builtInRecipes()).some((known) => known.name === name);
  const flags = isBuiltIn ? await flagsTo(recipe, name, { cwd, host }) : undefined;
  if (flags !== undefined) return shellCommand(['agentgym', 'train', name, ...flags]);
  return shellCommand(['agentgym', 'train', shownManifest(directory, cwd)]);
}

/** The manifest of a run as a recipe in a command: relative if it is below the current folder. */
export function shownManifest(directory: string, cwd: string): string {
  const path = relative(cwd, manifestPath(directory));
  return path.startsWith('..') || isAbsolute(path) ? manifestPath(directory) : path;
}

/** Undefined if no flags turn the built-in recipe into this recipe. */
async function flagsTo(
  recipe: Recipe,
  source: string,
  place: { readonly cwd: string; readonly host: PluginHost },
): Promise<string[] | undefined> {
  try {
    const base = acceptRecipe(await resolveRecipe({ source, ...place })).recipe;
    const [from, to] = [recipeLeaves(base), recipeLeaves(recipe)];
    const sets = differingKeys([from, to])
      // The description and the trackers change no number.
      .filter((key) => !['seed', 'description', 'tracking'].includes(key))
      .map((key) => `${key}=${settingOf(to[key] ?? null)}`);
    const { resolved } = await resolveRecipe({ source, sets: [`seed=${recipe.seed}`, ...sets], ...place });
    if (resolved === undefined || recipeDifference(resolved.recipe, recipe) !== undefined) return undefined;
    return ['--seed', String(recipe.seed), ...sets.flatMap((set) => ['--set', set])];
  } catch (error) {
    // Settings that this version refuses are not proposed.
    if (!isAgentgymError(error)) throw error;
    return undefined;
  }
}

/** A value in the syntax of `--set`. */
function settingOf(value: Json): string {
  return typeof value === 'string' && /^[A-Za-z][\w./-]*$/.test(value) ? value : JSON.stringify(value);
}
