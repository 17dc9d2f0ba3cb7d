import type { Recipe, TrackerName } from './recipe-schema.js';

/** Whether a tracker shows runs of a recipe. Recipes that old versions resolved lack the key; they had TensorBoard. */
export function isTrackedBy(
  { tracking = ['tensorboard'] }: Partial<Pick<Recipe, 'tracking'>>,
  name: TrackerName,
): boolean {
  return tracking.includes(name);
}
