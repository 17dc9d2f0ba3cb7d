import { grouped } from '../statistics/grouped.js';
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

/** The keys at which recipes differ, in the order in which they first appear. An absent key counts as null. */
export function differingKeys(leaves: readonly { readonly [key: string]: Json }[]): string[] {
  const keys = [...new Set(leaves.flatMap((one) => Object.keys(one)))];
  return keys.filter((key) => new Set(leaves.map((one) => JSON.stringify(one[key] ?? null))).size > 1);
}

/** The values of each recipe at the keys at which they differ; an absent key is null. */
export function varyingValues(leaves: readonly { readonly [key: string]: Json }[]): Record<string, Json>[] {
  const keys = differingKeys(leaves);
  return leaves.map((one) => Object.fromEntries(keys.map((key) => [key, one[key] ?? null])));
}

/** Keys of a recipe that do not belong to its setting. */
const names = ['seed', 'name', 'description', 'tracking'];

/** The setting of a run: the leaves of its recipe, without names, description, trackers and seed. */
export function settingLeaves(recipe: JsonObject): Record<string, Json> {
  return Object.fromEntries(Object.entries(recipeLeaves(recipe)).filter(([key]) => !names.includes(key)));
}

/** For each run, its values at the keys at which runs of the same recipe differ. */
export function differingSettings<
  Run extends { readonly recipe: string; readonly leaves: { readonly [key: string]: Json } },
>(runs: readonly Run[]): Map<Run, Record<string, Json>> {
  return new Map(
    grouped(runs, ({ recipe }) => recipe).flatMap((alike) => {
      const values = varyingValues(alike.map(({ leaves }) => leaves));
      return alike.map((run, i) => [run, values[i] ?? {}] as const);
    }),
  );
}
