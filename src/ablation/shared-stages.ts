import { join } from 'node:path';

import { supervisedBeginning } from '../config/supervised-beginning.js';
import { planOfRun } from '../runs/plan-of-run.js';
import type { CellRun } from './ablation-directory.js';

/**
 * Gives runs of one seed that begin with the same supervised stages a folder to share these. Settings that affect only
 * evaluations, such as the reward, may differ: every run makes its own evaluations.
 */
export function shareStages(runs: readonly CellRun[], folder: string): readonly CellRun[] {
  const keys = runs.map(({ recipe, seed }) => {
    const key = supervisedBeginning(planOfRun({ recipe }));
    return key === undefined ? undefined : `seed-${seed}-${key}`;
  });
  return runs.map((run, index) => {
    const key = keys[index];
    const isShared = key !== undefined && keys.indexOf(key) !== keys.lastIndexOf(key);
    return isShared ? { ...run, sharedStages: join(folder, key) } : run;
  });
}
