import { join } from 'node:path';

import { supervisedBeginning } from '../config/supervised-beginning.js';
import type { CellRun } from './ablation-directory.js';

/**
 * Runs of one seed whose cells begin with the same supervised stages, each with the folder where these are kept. What
 * only evaluations depend on may differ, such as the reward: every run evaluates for itself.
 */
export function shareStages(runs: readonly CellRun[], folder: string): readonly CellRun[] {
  const keys = runs.map(({ recipe, seed }) => {
    const key = supervisedBeginning(recipe);
    return key === undefined ? undefined : `seed-${seed}-${key}`;
  });
  return runs.map((run, index) => {
    const key = keys[index];
    const isShared = key !== undefined && keys.indexOf(key) !== keys.lastIndexOf(key);
    return isShared ? { ...run, sharedStages: join(folder, key) } : run;
  });
}
