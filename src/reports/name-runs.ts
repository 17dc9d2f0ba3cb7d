import type { LoadedRun } from '../runs/load-run.js';
import { differingKeys, recipeLeaves } from '../runs/recipe-leaves.js';
import { nameSettings } from './name-settings.js';

/** A distinct name for each run: given by a user, else what differs. A lone run without a name has its recipe's. */
export function nameRuns(runs: readonly Pick<LoadedRun, 'manifest' | 'name'>[]): string[] {
  const [only] = runs;
  if (only !== undefined && runs.length === 1) return [only.name ?? only.manifest.name];
  const leaves = runs.map(({ manifest }) => recipeLeaves(manifest.recipe));
  const varying = differingKeys(leaves).filter((key) => key !== 'description');
  const values = leaves.map((one) => Object.fromEntries(varying.map((key) => [key, one[key] ?? null])));
  // Runs of one recipe have no setting to be named by, only their ids.
  const idOf = ({ id }: LoadedRun['manifest']) =>
    varying.length === 0 ? id.slice(id.lastIndexOf('-') + 1) : undefined;
  return nameSettings(
    runs.map(({ name, manifest }, i) => ({ values: values[i] ?? {}, given: [name ?? idOf(manifest)] })),
  );
}
