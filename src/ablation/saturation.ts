import type { Measure } from './read-outcomes.js';

/** Cells within this distance of 0 or 1 leave no room for a difference. */
const margin = 0.02;

interface Tested {
  readonly success: { readonly rate: number } | null;
}

/**
 * What to change if the success of all cells is so near to an end of its scale that no difference can show: more seeds do
 * not help. Undefined if the cells have room for a difference, or if fewer than two have a result.
 */
export function saturationOf(cells: readonly Tested[], measure: Measure): string | undefined {
  const rates = cells.flatMap(({ success }) => success?.rate ?? []);
  if (measure !== 'success' || rates.length < 2) return undefined;
  if (rates.every((rate) => rate >= 1 - margin)) {
    return 'The tasks are too easy to show a difference, and more seeds will not help: test on harder tasks, for example with other options of the environment or a shorter horizon.';
  }
  if (rates.every((rate) => rate <= margin)) {
    return 'The tasks are too hard to show a difference, and more seeds will not help: test on easier tasks, or teach the policy more before reinforcement learning.';
  }
  return undefined;
}
