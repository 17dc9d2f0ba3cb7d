import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { readTextFile } from '../files/read-whole-file.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import { DocumentError, parseDocument, plainData, type ParsedDocument } from './parse-document.js';
import { isKeyMap, valueAt, type KeyPath, type RecipeLayer } from './recipe-layer.js';

/** The public entry of this package, so that a recipe in TypeScript finds `defineRecipe` in any folder. */
const PACKAGE_INDEX = fileURLToPath(new URL('../index', import.meta.url));

/** A hundred times the size of the longest known recipe. */
const MOST_BYTES = 1_000_000;

/**
 * Reads a recipe file: YAML, JSON, or TypeScript and JavaScript with a default export. The result is plain data.
 *
 * @param root place of the recipe inside the file; package.json has one at `agentgym.recipe`
 * @throws AgentgymError AG_RECIPE_SYNTAX, with the line if there is one; AG_FILE_REFUSED
 */
export async function readRecipeFile(
  file: string,
  origin: RecipeLayer['origin'],
  root: KeyPath = [],
): Promise<RecipeLayer> {
  const isCode = ['.ts', '.js', '.mjs'].includes(extname(file));
  const { content, line } = await readContent(file, isCode);
  const value = valueAt(content, root);
  if (!isKeyMap(value)) {
    const empty = value === null || value === undefined ? 'is empty' : 'is not a map of keys';
    throw new AgentgymError('AG_RECIPE_SYNTAX', {
      message: `${file} ${empty}`,
      hint: '`docs/reference/recipe.md` lists all keys.',
      file,
      line: line(root) ?? 1,
    });
  }
  return { origin, label: file, file, value, line: (path) => line([...root, ...path]) };
}

async function readContent(file: string, isCode: boolean): Promise<ParsedDocument> {
  // Code is read here, too, because its import would wait for a pipe.
  const text = await readTextFile(file, MOST_BYTES);
  try {
    if (!isCode) return parseDocument(text);
    return { content: plainData(await importRecipe(file)), line: () => undefined };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    throw new AgentgymError('AG_RECIPE_SYNTAX', {
      message: `${file} is not well-formed: ${error.message}`,
      hint: 'Fix that line: a recipe contains texts, numbers, true and false, lists and maps.',
      file,
      line: error.line ?? 1,
      cause: error,
    });
  }
}

async function importRecipe(file: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  const jiti = createJiti(import.meta.url, { alias: { '@agentgym/cli': PACKAGE_INDEX }, moduleCache: false });
  try {
    return await jiti.import(file, { default: true });
  } catch (error) {
    const message = messageOf(error).split('\n')[0]?.trim() ?? '';
    throw new AgentgymError('AG_RECIPE_SYNTAX', {
      message: `${file} could not be loaded: ${message}`,
      file,
      line: lineWithin(file, error),
      cause: error,
    });
  }
}

/** The first line of the file in an error or its stack; compilation keeps the lines of TypeScript. */
function lineWithin(file: string, error: unknown): number | undefined {
  const said = error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : '';
  const at = said.indexOf(`${file}:`);
  const line = at < 0 ? Number.NaN : Number.parseInt(said.slice(at + file.length + 1), 10);
  return Number.isNaN(line) ? undefined : line;
}
