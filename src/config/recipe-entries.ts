import type { KeyPath } from './recipe-layer.js';
import type { EntrySettings, EnvironmentSettings, Recipe } from './recipe-schema.js';

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

/** The environments of a recipe in words, such as `maze (textworld) and craft (textcraft)`. */
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
  const rl = Object.entries(recipe.stages).flatMap(([name, stage]) => (stage.kind === 'rl' ? [{ name, stage }] : []));
  const entries = recipeEntries(recipe);
  if (entries.every(({ settings }) => settings.horizon !== undefined)) {
    return entries.map(({ path }) => [...path, 'horizon']);
  }
  const isReplaced = rl.every(({ stage }) => stage.horizon !== undefined);
  return isReplaced ? rl.map(({ name }) => ['stages', name, 'horizon']) : [];
}
