// Trains the checkpoint that plays: a small model that learns to say numbers in a second or two.
import { join } from 'node:path';

import { acceptRecipe, resolveRecipe } from '../../dist/config/resolve-recipe.js';
import { runRecipe } from '../../dist/experiments/run-recipe.js';
import { hostSettings, root } from '../sides/our-side.js';

/** Trains with the recipe next to this file. @returns the folder of the run */
export async function trainStart(host, folder) {
  const { recipe, plan } = acceptRecipe(await resolveRecipe({ source: 'bench/collect/recipe.yaml', cwd: root, host }));
  const output = join(folder, 'start');
  await runRecipe({
    plan,
    host,
    settings: hostSettings(recipe.seed),
    output,
    runsFolder: folder,
    sourceFolder: root,
    versions: {},
    listener: () => undefined,
  });
  return output;
}
