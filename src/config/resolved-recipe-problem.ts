import * as v from 'valibot';

import { typeProblem } from './check-structure.js';
import { formatPath, isKeyMap, type KeyPath } from './recipe-layer.js';
import { missingKey } from './recipe-entries.js';
import { type Recipe, recipeSchema } from './recipe-schema.js';

/**
 * Why a value is not a resolved recipe; undefined if it has the right type. It ignores limits and unknown keys, since
 * another version may have resolved the recipe. It fills in no defaults, since a resolved recipe lacks settings without
 * effect.
 *
 * @param path of the value in its document
 */
export function resolvedRecipeProblem(value: unknown, path: KeyPath): string | undefined {
  const problem = typeProblem(recipeSchema, value, path);
  if (problem !== undefined) return problem;
  const { output } = v.safeParse(recipeSchema, value);
  const key = missingKey(value as Recipe);
  const missing = missingMap(output, value, []) ?? (key && [key]);
  return missing && `\`${formatPath([...path, ...missing])}\` is missing`;
}

/** A map of keys that every recipe has, written or not, but that the value lacks. */
function missingMap(complete: unknown, value: unknown, path: KeyPath): KeyPath | undefined {
  if (isKeyMap(complete) && value === undefined) return path;
  const isBranch = isKeyMap(complete) ? isKeyMap(value) : Array.isArray(complete) && Array.isArray(value);
  if (!isBranch) return undefined;
  const inner = value as { readonly [key: string]: unknown };
  for (const [key, part] of Object.entries(complete as object)) {
    const found = missingMap(part, inner[key], [...path, Array.isArray(complete) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
