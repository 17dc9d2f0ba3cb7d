import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';

import { cosmiconfig } from 'cosmiconfig';

import { AgentgymError } from '../errors/agentgym-error.js';
import { openRegularFile } from '../files/open-regular-file.js';
import { builtInRecipes } from './built-in-recipes.js';
import { nearestHint } from './nearest-name.js';
import type { KeyPath } from './recipe-layer.js';

/** A recipe file, and the place of the recipe inside it. */
export interface RecipeLocation {
  readonly file: string;
  readonly root?: KeyPath;
}

const EXTENSIONS = ['.yaml', '.yml', '.json', '.ts', '.js', '.mjs'];
const PLACES = ['agentgym.config.ts', 'agentgym.config.js', 'agentgym.config.mjs', '.agentgymrc.yaml', 'package.json'];
const PACKAGE_KEY: KeyPath = ['agentgym', 'recipe'];
/** A run's manifest contains the run's recipe. */
const MANIFEST = 'manifest.json';
const MANIFEST_KEY: KeyPath = ['recipe'];

/**
 * Finds the file of a recipe: the path of a file or of a folder with a recipe.yaml, or the name of a built-in recipe. A
 * path has a separator or a known extension. The manifest of a run means the recipe in it.
 *
 * @throws AgentgymError AG_RECIPE_NOT_FOUND
 */
export async function locateRecipe(source: string, folder: string): Promise<RecipeLocation> {
  const isPath = /[\\/]/.test(source) || EXTENSIONS.includes(extname(source));
  if (isPath) {
    const path = isAbsolute(source) ? source : resolve(folder, source);
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'recipe.yaml') : path;
    if (!EXTENSIONS.includes(extname(file))) {
      throw notFound(`${source} is not a recipe`, `A recipe file ends in ${EXTENSIONS.join(', ')}.`);
    }
    if (existsSync(file)) return basename(file) === MANIFEST ? { file, root: MANIFEST_KEY } : { file };
    throw notFound(
      `there is no recipe file ${file}`,
      'Check the path; built-in recipes are listed by `agentgym list recipes`.',
    );
  }
  const builtIn = await builtInRecipes();
  const found = builtIn.find(({ name }) => name === source);
  if (found !== undefined) return { file: found.file };
  const names = builtIn.map(({ name }) => name);
  const here = EXTENSIONS.map((extension) => `${source}${extension}`).find((name) => existsSync(resolve(folder, name)));
  throw notFound(
    `there is no built-in recipe \`${source}\``,
    here !== undefined
      ? `A file is given with its extension: ${here}.`
      : nearestHint(source, names, `Built-in recipes: ${names.join(', ')}. A recipe file is given by its path.`),
  );
}

/**
 * Finds the recipe of the project around a folder: `agentgym.config.{ts,js,mjs}`, `.agentgymrc.yaml`, or
 * `agentgym.recipe` in package.json, in the folder and upwards to the one with a package.json.
 *
 * @throws AgentgymError AG_RECIPE_NOT_FOUND, AG_FILE_REFUSED
 */
export async function findProjectRecipe(folder: string): Promise<RecipeLocation> {
  await refusePipes(folder);
  // Files are read by readRecipeFile, which keeps positions: here they only need to be found.
  const pass = (file: string) => ({ file });
  const explorer = cosmiconfig('agentgym', {
    searchPlaces: PLACES,
    packageProp: PACKAGE_KEY as string[],
    loaders: { '.ts': pass, '.js': pass, '.mjs': pass, '.yaml': pass },
    searchStrategy: 'project',
    cache: false,
  });
  const found = await explorer.search(folder);
  if (found === null) {
    throw notFound(
      'no recipe was given, and no agentgym.config.ts was found',
      'Name a recipe, for example `agentgym train quickstart`; `agentgym list recipes` shows the built-in ones.',
    );
  }
  if (basename(found.filepath) !== 'package.json') return { file: found.filepath };
  if (typeof found.config === 'string') return locateRecipe(found.config, resolve(found.filepath, '..'));
  return { file: found.filepath, root: PACKAGE_KEY };
}

/** cosmiconfig would wait for a pipe that has the name of a file, so each file that it may read is opened first. */
async function refusePipes(folder: string): Promise<void> {
  for (let here = resolve(folder); ; here = dirname(here)) {
    const found = PLACES.map((name) => join(here, name)).filter((path) => existsSync(path));
    for (const path of found) if (!statSync(path).isDirectory()) await (await openRegularFile(path)).close();
    if (here === dirname(here) || existsSync(join(here, 'package.json'))) return;
  }
}

function notFound(message: string, hint: string): AgentgymError {
  return new AgentgymError('AG_RECIPE_NOT_FOUND', { message, hint });
}
