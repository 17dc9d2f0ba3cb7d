import { dirname, isAbsolute, parse, resolve } from 'node:path';

import { AgentgymError, type ErrorFinding } from '../errors/agentgym-error.js';
import { checkConsistency } from './check-consistency.js';
import { checkRecipeContributions, type ContributionFinder } from './check-recipe-contributions.js';
import { checkStructure } from './check-structure.js';
import { Complaints } from './complaints.js';
import { placeError } from './place-error.js';
import { settleIdleSettings, writtenKeys } from './idle-settings.js';
import { findProjectRecipe, locateRecipe, type RecipeLocation } from './locate-recipe.js';
import { mergeLayers } from './merge-layers.js';
import { parseSetting, settingLayer, type Setting } from './parse-setting.js';
import { readRecipeFile } from './read-recipe-file.js';
import { formatPath, valueAt, type KeyMap, type KeyPath, type RecipeLayer } from './recipe-layer.js';
import { refuseSecrets } from './refuse-secrets.js';
import { recipeSchema, type ParsedRecipe, type Recipe } from './recipe-schema.js';

const recipeFormat = { schema: recipeSchema, name: 'the recipe', page: 'docs/reference/recipe.md' };

/** The recipe to resolve, and the checks to use. */
export interface RecipeRequest {
  /** A path, a built-in name, or the keys themselves; absent: the recipe of the project around `cwd`. */
  readonly source?: string | object;
  /** `--set` values such as `algorithm.groupSize=8`, and settings of other flags; later ones win. */
  readonly sets?: readonly (string | Setting)[];
  readonly cwd: string;
  /** Installed plugins. */
  readonly host: ContributionFinder;
}

/** A recipe that can be run. */
export interface ResolvedRecipe {
  readonly recipe: Recipe;
  /** The recipe's file. Absent if the keys were given directly. */
  readonly file?: string;
  /** The origin of a key; `default` if it was not set. */
  readonly origin: (path: KeyPath) => 'default' | RecipeLayer['origin'];
  /** Adds the file and line, or the flag, to an error that is found later. */
  readonly placed: (error: AgentgymError) => AgentgymError;
}

/**
 * Reads a recipe with all recipes that it extends, applies flags, checks every key, and fills in defaults. Nothing is
 * written, and no contribution is created.
 *
 * @throws AgentgymError the first error, with all errors in `findings`
 */
export async function resolveRecipe({ source, sets = [], cwd, host }: RecipeRequest): Promise<ResolvedRecipe> {
  const settings = sets.map((set) => (typeof set === 'string' ? parseSetting(set) : set));
  const files =
    typeof source === 'object' ? givenLayers(source, cwd) : readChain(await locate(source, cwd), 'recipe', []);
  const layers = [...(await files), ...settings.map(settingLayer)];
  const main = layers.findLast(({ origin }) => origin === 'recipe');
  const merged = mergeLayers(layers);
  const complaints = new Complaints((path) => merged.originOf(path));
  checkSettings(settings, merged.idleRemovals, complaints);

  const named = { ...(main?.file && { name: nameOf(main.file) }), ...merged.value };
  const recipe = checkStructure(recipeFormat, named, complaints);
  if (recipe === undefined) throw failure(complaints.findings);
  // The `extends` key has been handled, and a resolved recipe does not have it.
  delete recipe.extends;
  const written = writtenKeys(merged.value, (path) => merged.originOf(path));
  const context = { complaints, written };
  settleIdleSettings(recipe, context);
  checkConsistency(recipe, complaints);
  await checkRecipeContributions(recipe, host, context);
  refuseSecrets(recipe, complaints);
  if (complaints.findings.length > 0) throw failure(complaints.findings);
  resolvePaths(recipe, (path) => merged.originOf(path), cwd);
  return {
    recipe,
    ...(main?.file !== undefined && { file: main.file }),
    origin: (path) =>
      valueAt(merged.value, path) !== undefined ? (merged.originOf(path)?.origin ?? 'default') : 'default',
    placed: (error) => placeError(error, (path) => merged.originOf(path)),
  };
}

function locate(source: string | undefined, cwd: string): Promise<RecipeLocation> {
  return source === undefined ? findProjectRecipe(cwd) : locateRecipe(source, cwd);
}

async function givenLayers(source: object, cwd: string): Promise<RecipeLayer[]> {
  const value = source as KeyMap;
  const layer: RecipeLayer = { origin: 'recipe', label: 'recipe', value, line: () => undefined };
  return [...(await readBase(layer, cwd, [])), layer];
}

/** The layers of a recipe file, after those that it extends. */
async function readChain(
  { file, root }: RecipeLocation,
  origin: RecipeLayer['origin'],
  above: readonly string[],
): Promise<RecipeLayer[]> {
  const layer = await readRecipeFile(file, origin, root);
  return [...(await readBase(layer, dirname(file), [...above, file])), layer];
}

async function readBase(layer: RecipeLayer, folder: string, above: readonly string[]): Promise<RecipeLayer[]> {
  const base = layer.value['extends'];
  // The schema reports a wrong type.
  if (typeof base !== 'string') return [];
  const line = layer.line(['extends']);
  const place = {
    ...(layer.file !== undefined && { file: layer.file }),
    ...(line !== undefined && { line }),
    path: 'extends',
  };
  let location: RecipeLocation;
  try {
    location = await locateRecipe(base, folder);
  } catch (error) {
    if (!(error instanceof AgentgymError)) throw error;
    throw new AgentgymError(error.code, { message: `\`extends\`: ${error.message}`, hint: error.hint, ...place });
  }
  if (above.includes(location.file)) {
    const chain = [...above.slice(above.indexOf(location.file)), location.file].join(' -> ');
    const hint = 'Remove one `extends` of the cycle.';
    throw new AgentgymError('AG_RECIPE_INVALID', { message: `\`extends\` is circular: ${chain}`, hint, ...place });
  }
  return readChain(location, 'extends', above);
}

/** Complains about flags without effect: those that a later flag overrides, and those that remove nothing. */
function checkSettings(
  settings: readonly Setting[],
  idleRemovals: ReturnType<typeof mergeLayers>['idleRemovals'],
  complaints: Complaints,
): void {
  settings.forEach(({ flag, path }, i) => {
    const later = settings.slice(i + 1).find((other) => formatPath(other.path) === formatPath(path));
    if (later === undefined) return;
    const message = `\`${flag}\` has no effect together with \`${later.flag}\``;
    complaints.addFlag('AG_RECIPE_IDLE_SETTING', path, message, 'Give it once.');
  });
  for (const { path, layer } of idleRemovals) {
    const message = `\`${layer.label}\` removes nothing: \`${formatPath(path)}\` is not set`;
    complaints.addFlag('AG_RECIPE_IDLE_SETTING', path, message, 'Leave it out.');
  }
}

/**
 * Paths in a recipe are relative to the file that contains them. Paths in a flag are relative to the current folder.
 */
function resolvePaths(recipe: ParsedRecipe, originOf: (path: KeyPath) => RecipeLayer | undefined, cwd: string): void {
  const absolute = (value: string, path: KeyPath) => {
    const file = originOf(path)?.file;
    return isAbsolute(value) ? value : resolve(file === undefined ? cwd : dirname(file), value);
  };
  const { policy } = recipe;
  if (policy.from !== undefined && /^\.{1,2}[\\/]/.test(policy.from)) {
    policy.from = absolute(policy.from, ['policy', 'from']);
  }
  if (policy.sampler?.folder !== undefined) {
    policy.sampler.folder = absolute(policy.sampler.folder, ['policy', 'sampler', 'folder']);
  }
  const { examples } = recipe.prompt ?? {};
  if (examples?.file !== undefined) examples.file = absolute(examples.file, ['prompt', 'examples', 'file']);
  for (const [name, stage] of Object.entries(recipe.stages)) {
    if (stage.kind === 'rl' || stage.demonstrations.file === undefined) continue;
    const path = ['stages', name, 'demonstrations', 'file'];
    stage.demonstrations.file = absolute(stage.demonstrations.file, path);
  }
}

/** `recipes/quickstart/recipe.yaml` is called quickstart, `maze.ts` is called maze. */
function nameOf(file: string): string {
  const { name, dir } = parse(file);
  const called = name === 'recipe' ? parse(dir).name : name;
  return called.replaceAll(/[^a-zA-Z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || 'unnamed';
}

function failure(findings: readonly ErrorFinding[]): AgentgymError {
  const [first] = findings;
  if (first === undefined) throw new Error('there is no failure without a finding');
  return new AgentgymError(first.code, { ...first, findings });
}
