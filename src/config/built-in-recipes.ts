import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parseDocument } from './parse-document.js';
import { valueAt } from './recipe-layer.js';

/** A recipe that comes with the CLI: `recipes/<name>/recipe.yaml`. */
export interface BuiltInRecipe {
  readonly name: string;
  readonly file: string;
}

const RECIPES = fileURLToPath(new URL('../../recipes/', import.meta.url));

/** The built-in recipes in name order. */
export async function builtInRecipes(): Promise<readonly BuiltInRecipe[]> {
  const names = (await readdir(RECIPES)).sort();
  return names
    .map((name) => ({ name, file: join(RECIPES, name, 'recipe.yaml') }))
    .filter(({ file }) => existsSync(file));
}

/** The ablations that come with built-in recipes, `recipes/<name>/ablation.yaml`, in name order. */
export async function builtInAblations(): Promise<readonly BuiltInRecipe[]> {
  const recipes = await builtInRecipes();
  return recipes
    .map(({ name, file }) => ({ name, file: join(dirname(file), 'ablation.yaml') }))
    .filter(({ file }) => existsSync(file));
}

/** One sentence about a built-in recipe: its `description`. */
export async function recipeSummary({ file }: BuiltInRecipe): Promise<string> {
  const { content } = parseDocument(await readFile(file, 'utf8'));
  const description = valueAt(content, ['description']);
  return typeof description === 'string' ? description : '';
}
