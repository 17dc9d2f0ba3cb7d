import type { Json, JsonObject } from '../contracts/json.js';

/** The leaves of a recipe by their keys, such as `algorithm.groupSize`; a list is a leaf. */
export function recipeLeaves(recipe: JsonObject, prefix = ''): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(recipe).flatMap(([key, value]): [string, Json][] =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(recipeLeaves(value as JsonObject, `${prefix}${key}.`))
        : [[`${prefix}${key}`, value as Json]],
    ),
  );
}

/** The keys at which recipes differ, in the order in which they first appear; one that is absent is null. */
export function differingKeys(leaves: readonly { readonly [key: string]: Json }[]): string[] {
  const keys = [...new Set(leaves.flatMap((one) => Object.keys(one)))];
  return keys.filter((key) => new Set(leaves.map((one) => JSON.stringify(one[key] ?? null))).size > 1);
}
