import type { Json } from '../contracts/json.js';
import type { LoadedRun } from '../runs/load-run.js';
import { differingKeys, recipeLeaves } from '../runs/recipe-leaves.js';
import type { PackageRecord } from '../runs/run-manifest.js';

/** In what runs differ, with a value of each run in their order. */
export interface RunDifferences {
  /** The keys at which their recipes differ; null where a recipe lacks the key. */
  readonly keys: readonly { readonly key: string; readonly values: readonly Json[] }[];
  /** The packages of which they used other versions or files; null where a run used none. */
  readonly packages: readonly { readonly name: string; readonly values: readonly (PackageRecord | null)[] }[];
}

export function differencesOf(runs: readonly LoadedRun[]): RunDifferences {
  const leaves = runs.map(({ manifest }) => recipeLeaves(manifest.recipe));
  return {
    keys: differingKeys(leaves).map((key) => ({ key, values: leaves.map((one) => one[key] ?? null) })),
    packages: differingPackages(runs),
  };
}

/** Of runs that say what they used. */
function differingPackages(runs: readonly LoadedRun[]): RunDifferences['packages'] {
  const lists = runs.map(({ manifest }) => manifest.packages);
  const names = [...new Set(lists.flatMap((list) => (list ?? []).map(({ name }) => name)))].sort();
  return names.flatMap((name) => {
    const values = lists.map((list) => list?.find((record) => record.name === name) ?? null);
    const known = values.filter((_, i) => lists[i] !== undefined);
    return new Set(known.map((record) => record?.integrity)).size > 1 ? [{ name, values }] : [];
  });
}

/** What a reader has to know before a difference between such runs is put down to one setting. */
export function notesOnDifferences({ keys, packages }: RunDifferences): string[] {
  const worlds = keys.filter(({ key }) => /^environments?\b/.test(key)).map(({ key }) => `\`${key}\``);
  const contents = packages.map(({ name }) => `\`${name}\``);
  return [
    ...(worlds.length === 0
      ? []
      : [`The runs differ in the environment itself (${worlds.join(', ')}): tasks of one id may be other tasks.`]),
    ...(contents.length === 0
      ? []
      : [`The runs used other contents of ${contents.join(' and ')}: a difference may come from that code.`]),
  ];
}
