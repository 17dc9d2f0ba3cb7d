import type { SplitName } from '@agentgym/cli';

import { SeededRandom } from './seeded-random.js';
import { splitNames } from './task-list.js';

export interface SplitOptions {
  /** Weights of the splits; those left out get nothing. Absent: three fifths, a fifth and a fifth. */
  readonly shares?: { readonly [name in SplitName]?: number };
  /** Another seed gives another assignment. Absent: 0. */
  readonly seed?: number;
}

const usual = { train: 3, validation: 1, test: 1 };

/**
 * The split of a name, for ever: it depends on no other name, no order and no number of names. If a share grows at the
 * cost of its neighbour, names move between these two only.
 *
 * @throws RangeError if a share is negative, or all are 0
 */
export function splitByHash(name: string, { shares = usual, seed = 0 }: SplitOptions = {}): SplitName {
  const weights = splitNames.map((split) => shares[split] ?? 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0) || weights.some((weight) => weight < 0)) {
    throw new RangeError(`shares of splits are 0 or more, and not all 0: ${JSON.stringify(shares)}`);
  }
  const drawn = new SeededRandom(seed === 0 ? `split/${name}` : `split/${seed}/${name}`).uniform();
  let reached = 0;
  const found = splitNames.find((_, place) => drawn < (reached += weights[place] ?? 0) / total);
  // Sums of shares may stay below 1 by a rounding.
  return found ?? splitNames.findLast((split) => (shares[split] ?? 0) > 0) ?? 'train';
}
