import type { Measure } from './read-outcomes.js';

/** Where the success of all cells is so near to an end of its scale that no difference can show: `top` or `bottom`. */
export type Saturation = 'top' | 'bottom';

/** Cells within this distance of 0 or 1 leave no room for a difference. */
const margin = 0.02;

interface Tested {
  readonly success: { readonly rate: number } | null;
}

/** Undefined if the cells have room for a difference, or if fewer than two have a result. */
export function saturationOf(cells: readonly Tested[], measure: Measure): Saturation | undefined {
  const rates = cells.flatMap(({ success }) => success?.rate ?? []);
  if (measure !== 'success' || rates.length < 2) return undefined;
  if (rates.every((rate) => rate >= 1 - margin)) return 'top';
  return rates.every((rate) => rate <= margin) ? 'bottom' : undefined;
}

/** What to change: more seeds do not help. */
export function saturationSentence(saturation: Saturation): string {
  return saturation === 'top'
    ? 'The tasks are too easy to show a difference, and more seeds will not help: test on harder tasks, for example with other options of the environment or a shorter horizon.'
    : 'The tasks are too hard to show a difference, and more seeds will not help: test on easier tasks, or teach the policy more before reinforcement learning.';
}
