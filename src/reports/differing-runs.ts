import type { Json } from '../contracts/json.js';
import type { ReportCell } from '../reporting/report-data.js';
import type { LoadedRun } from '../runs/load-run.js';
import { differingKeys, recipeLeaves } from '../runs/recipe-leaves.js';
import type { PackageRecord } from '../runs/run-manifest.js';

/** The differences between runs, with one value per run, in their order. */
export interface RunDifferences {
  /** The recipe keys that differ; null if a recipe lacks the key. */
  readonly keys: readonly { readonly key: string; readonly values: readonly Json[] }[];
  /** The packages with different versions or files; null if a run did not use one. */
  readonly packages: readonly { readonly name: string; readonly values: readonly (PackageRecord | null)[] }[];
}

export function differencesOf(runs: readonly LoadedRun[]): RunDifferences {
  const leaves = runs.map(({ manifest }) => recipeLeaves(manifest.recipe));
  return {
    keys: differingKeys(leaves).map((key) => ({ key, values: leaves.map((one) => one[key] ?? null) })),
    packages: differingPackages(runs),
  };
}

/** Compares only runs that recorded their packages. */
function differingPackages(runs: readonly LoadedRun[]): RunDifferences['packages'] {
  const lists = runs.map(({ manifest }) => manifest.packages);
  const names = [...new Set(lists.flatMap((list) => (list ?? []).map(({ name }) => name)))].sort();
  return names.flatMap((name) => {
    const values = lists.map((list) => list?.find((record) => record.name === name) ?? null);
    const known = values.filter((_, i) => lists[i] !== undefined);
    return new Set(known.map((record) => record?.integrity)).size > 1 ? [{ name, values }] : [];
  });
}

/** What a reader must know before explaining a difference between these runs by one setting. */
export function notesOnDifferences({ keys, packages }: RunDifferences): string[] {
  const changed = keys.map(({ key }) => key).filter((key) => /^environments?\b/.test(key));
  // Each environment has its own options.
  const worlds = (changed.includes('environment.name') ? ['environment.name'] : changed).map((key) => `\`${key}\``);
  const splits = keys.find(({ key }) => key === 'evaluation.final.split')?.values ?? [];
  const contents = packages
    .filter(({ values }) => new Set(values.flatMap((record) => record?.integrity ?? [])).size > 1)
    .map(({ name }) => `\`${name}\``);
  return [
    ...(worlds.length === 0
      ? []
      : [
          `The runs differ in the environment itself (${worlds.join(', ')}): the same task id may mean different tasks.`,
        ]),
    ...(splits.length === 0
      ? []
      : [
          `The runs were tested on different splits (\`evaluation.final.split\`: ${[...new Set(splits.map(String))].join(', ')}), which share no task.`,
        ]),
    ...(contents.length === 0
      ? []
      : [
          `The runs used different versions or files of ${contents.join(' and ')}: a difference may come from that code.`,
        ]),
  ];
}

/** Settings with different numbers of seeds have means over different seeds. */
export function notesOnSeeds(cells: readonly Pick<ReportCell, 'tested'>[]): string[] {
  const counts = [...new Set(cells.flatMap(({ tested = 0 }) => (tested === 0 ? [] : [tested])))].sort((a, b) => a - b);
  if (counts.length < 2) return [];
  return [
    `The settings have different numbers of seeds (${counts.join(', ')}): a difference is over the seeds that both have, so it may not be the difference of the two means.`,
  ];
}
