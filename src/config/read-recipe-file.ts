import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';

import { AgentgymError } from '../errors/agentgym-error.js';
import { isKeyMap, valueAt, type KeyPath, type RecipeLayer } from './recipe-layer.js';

/** The public door of this package, so that a recipe in TypeScript finds `defineRecipe` wherever it lies. */
const PACKAGE_INDEX = fileURLToPath(new URL('../index', import.meta.url));

/**
 * Reads a recipe file: YAML, JSON, or TypeScript and JavaScript with a default export.
 *
 * @param root where the recipe stands inside the file; package.json holds one at `agentgym.recipe`
 * @throws AgentgymError AG_RECIPE_SYNTAX, with the line where there is one
 */
export async function readRecipeFile(
  file: string,
  origin: RecipeLayer['origin'],
  root: KeyPath = [],
): Promise<RecipeLayer> {
  const isCode = ['.ts', '.js', '.mjs'].includes(extname(file));
  const { content, line } = isCode
    ? { content: await importRecipe(file), line: () => undefined }
    : await readText(file);
  const value = valueAt(content, root) ?? {};
  if (!isKeyMap(value)) {
    throw new AgentgymError('AG_RECIPE_SYNTAX', { message: `${file} does not hold a map of keys`, file, line: 1 });
  }
  return { origin, label: file, file, value, line: (path) => line([...root, ...path]) };
}

async function importRecipe(file: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  const jiti = createJiti(import.meta.url, { alias: { '@agentgym/cli': PACKAGE_INDEX }, moduleCache: false });
  try {
    return await jiti.import(file, { default: true });
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '').trim() : String(error);
    const line = lineWithin(file, error);
    throw new AgentgymError('AG_RECIPE_SYNTAX', {
      message: `${file} could not be loaded: ${message}`,
      file,
      ...(line !== undefined && { line }),
      cause: error,
    });
  }
}

/** The first line of the file that an error, or where it was thrown, names; lines of TypeScript stay where they are when it is compiled. */
function lineWithin(file: string, error: unknown): number | undefined {
  const said = error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : '';
  const at = said.indexOf(`${file}:`);
  const line = at < 0 ? Number.NaN : Number.parseInt(said.slice(at + file.length + 1), 10);
  return Number.isNaN(line) ? undefined : line;
}

async function readText(file: string): Promise<{ content: unknown; line: (path: KeyPath) => number | undefined }> {
  const lines = new LineCounter();
  // Every JSON document is a YAML document, so one parser gives the lines of both.
  const document = parseDocument(await readFile(file, 'utf8'), { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lines.linePos(error.pos[0]);
    throw new AgentgymError('AG_RECIPE_SYNTAX', {
      message: `${file} is not well-formed: ${error.message}`,
      file,
      line,
    });
  }
  let content: unknown;
  try {
    content = document.toJS();
  } catch (cause) {
    // An alias without an anchor, or one that expands without end.
    throw new AgentgymError('AG_RECIPE_SYNTAX', {
      message: `${file}: ${(cause as Error).message}`,
      file,
      line: 1,
      cause,
    });
  }
  return {
    content,
    line: (path) => {
      const offset = offsetOf(document, path);
      return offset === undefined ? undefined : lines.linePos(offset).line;
    },
  };
}

/** Offset of the key at a path, or of the nearest key above it. */
function offsetOf(document: Document, path: KeyPath): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
      if (pair === undefined) break;
      offset = (pair.key as { range?: readonly number[] | null }).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      offset = (node as { range?: readonly number[] | null } | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}
