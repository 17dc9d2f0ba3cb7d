import { planRun, type RunPlan } from '../config/run-plan.js';
import type { RunManifest } from './run-manifest.js';

/** The plan of a run, from the recipe that it keeps. */
export function planOfRun({ recipe }: Pick<RunManifest, 'recipe'>): RunPlan {
  return planRun(recipe);
}
