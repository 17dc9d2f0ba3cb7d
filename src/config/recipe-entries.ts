import type { KeyPath } from './recipe-layer.js';
import type { EntrySettings, EnvironmentSettings, Recipe, RlStage } from './recipe-schema.js';

/** The keys of an environment in `environments`, apart from how it is opened. */
type EntryOverrides = Omit<Partial<EntrySettings>, keyof EnvironmentSettings>;

/** An environment that a recipe trains in. */
export interface RecipeEntry {
  /** Its name in `environments`. Absent: it is `environment`, the only one. */
  readonly entry?: string;
  /** Its place in the recipe. */
  readonly path: KeyPath;
  readonly settings: EnvironmentSettings & EntryOverrides;
}

type Environments = Pick<Recipe, 'environment' | 'environments'>;

/** The environments that a recipe trains in, in its order. A checked recipe has one or more. */
export function recipeEntries({ environment, environments = {} }: Environments): readonly RecipeEntry[] {
  if (environment !== undefined) return [{ path: ['environment'], settings: environment }];
  return Object.entries(environments).map(([entry, settings]) => ({ entry, path: ['environments', entry], settings }));
}

/** Keys that a recipe has for all environments, and that each of them may replace. */
type SharedKeys = Pick<EntryOverrides, 'format' | 'horizon' | 'prompt' | 'reward' | 'tools'>;

/** Where these keys are: in the recipe itself, then in each of its environments. */
export function sharedKeys(
  recipe: Environments & SharedKeys,
): readonly { readonly path: KeyPath; readonly settings: SharedKeys }[] {
  return [{ path: [], settings: recipe }, ...recipeEntries(recipe)];
}

/** The rl stages of a recipe, in order. */
export function rlStages({
  stages,
}: Pick<Recipe, 'stages'>): readonly { readonly name: string; readonly stage: RlStage }[] {
  return Object.entries(stages).flatMap(([name, stage]) => (stage.kind === 'rl' ? [{ name, stage }] : []));
}

/** The first key that a recipe needs, because of its stages and environments, and lacks. */
export function missingKey(recipe: Recipe): 'environment' | 'horizon' | 'algorithm' | undefined {
  if (recipe.environment === undefined && recipe.environments === undefined) return 'environment';
  if (recipe.horizon === undefined && horizonReplacements(recipe).length === 0) return 'horizon';
  return recipe.algorithm === undefined && rlStages(recipe).length > 0 ? 'algorithm' : undefined;
}

/** The environments of a recipe in words, such as `maze (babyai) and craft (textcraft)`. */
export function environmentTitle(recipe: Environments): string {
  const all = recipeEntries(recipe).map(({ entry, settings: { name } }) =>
    entry === undefined || entry === name ? name : `${entry} (${name})`,
  );
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** The different names of environments of a recipe, in its order. */
export function environmentNames(recipe: Environments): readonly string[] {
  return [...new Set(recipeEntries(recipe).map(({ settings: { name } }) => name))];
}

/** The keys that together replace `horizon` wherever it would be read. Empty: something reads it. */
export function horizonReplacements(recipe: Environments & Pick<Recipe, 'stages'>): readonly KeyPath[] {
  const rl = rlStages(recipe);
  const entries = recipeEntries(recipe);
  if (entries.every(({ settings }) => settings.horizon !== undefined)) {
    return entries.map(({ path }) => [...path, 'horizon']);
  }
  const isReplaced = rl.every(({ stage }) => stage.horizon !== undefined);
  return isReplaced ? rl.map(({ name }) => ['stages', name, 'horizon']) : [];
}
