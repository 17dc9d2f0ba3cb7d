import type { Json } from '../contracts/json.js';
import { packageIntegrity } from '../plugins/package-integrity.js';
import { byName, type PluginSource } from '../plugins/plugin-source.js';
import { recipeDifference } from './recipe-difference.js';
import { findRuns } from './resolve-run.js';
import { readManifest, type ContributionRecord, type PackageRecord, type RunManifest } from './run-manifest.js';

/** The packages of contributions as they are on disk now, in name order. Nothing is imported. */
export async function usedPackages(
  contributions: readonly Pick<ContributionRecord, 'package'>[],
  sources: readonly PluginSource[],
): Promise<readonly PackageRecord[]> {
  const names = new Set(contributions.map((record) => record.package));
  return Promise.all(
    sources
      .filter(({ name }) => names.has(name))
      .sort(byName)
      .map(async (source) => {
        const { name, version, origin } = source;
        return { name, version, origin, integrity: await packageIntegrity(source) };
      }),
  );
}

/**
 * The differences of packages, as words after "with": "plugin-coin 2.0.0 instead of 1.0.0". The way of installation
 * does not matter.
 */
export function packageDifferences(before: readonly PackageRecord[], now: readonly PackageRecord[]): string[] {
  const names = [...new Set([...before, ...now].map(({ name }) => name))].sort();
  return names.flatMap((name) => {
    const [old, present] = [before, now].map((list) => list.find((record) => record.name === name));
    if (old?.integrity === present?.integrity) return [];
    if (present === undefined) return [`without ${name} ${old?.version}`];
    if (old === undefined) return [`${name} ${present.version}, which is new`];
    if (old.version !== present.version) return [`${name} ${present.version} instead of ${old.version}`];
    return [`other files in ${name} ${present.version}`];
  });
}

/** How the packages of a run have changed since then. Empty if the run did not record its packages. */
export async function packagesSince(
  { packages }: Pick<RunManifest, 'packages'>,
  sources: readonly PluginSource[],
): Promise<string[]> {
  const used = (packages ?? []).map(({ name }) => ({ package: name }));
  return packageDifferences(packages ?? [], await usedPackages(used, sources));
}

/** The newest run in a folder with the same recipe, except for its seed and the plugin versions that it requires. */
export async function earlierRun(folder: string, recipe: RunManifest['recipe']): Promise<RunManifest | undefined> {
  for (const { directory } of (await findRuns(folder)).toReversed()) {
    const manifest = await readManifest(directory).catch(() => undefined);
    if (manifest?.packages === undefined) continue;
    if (recipeDifference(withoutSeed(manifest.recipe), withoutSeed(recipe)) === undefined) return manifest;
  }
  return undefined;
}

function withoutSeed({ seed: _, plugins: __, ...recipe }: RunManifest['recipe']): Json {
  return recipe;
}
