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
  return nameSettings(runs.map(({ name }, i) => ({ values: values[i] ?? {}, given: [name] })));
}
