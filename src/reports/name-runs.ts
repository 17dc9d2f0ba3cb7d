import type { LoadedRun } from '../runs/load-run.js';
import { recipeLeaves, varyingValues } from '../runs/recipe-leaves.js';
import { nameSettings } from './name-settings.js';

/** A distinct name for each run: given by a user, else what differs. A lone run without a name has its recipe's. */
export function nameRuns(runs: readonly Pick<LoadedRun, 'manifest' | 'name'>[]): string[] {
  const [only] = runs;
  if (only !== undefined && runs.length === 1) return [only.name ?? only.manifest.name];
  const values = varyingValues(
    runs.map(({ manifest: { recipe } }) => {
      const { description: _, ...leaves } = recipeLeaves(recipe);
      return leaves;
    }),
  );
  // Runs of one recipe have no setting to be named by, only their ids.
  const isOneRecipe = Object.keys(values[0] ?? {}).length === 0;
  const idOf = ({ id }: LoadedRun['manifest']) => (isOneRecipe ? id.slice(id.lastIndexOf('-') + 1) : undefined);
  return nameSettings(
    runs.map(({ name, manifest }, i) => ({ values: values[i] ?? {}, given: [name ?? idOf(manifest)] })),
  );
}
