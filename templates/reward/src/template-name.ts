import type { RewardScheme } from '@agentgym/cli';

import type { Options } from './options.js';

/**
 * Pays for a success alone, and more the earlier it comes: in turn t, from 0,
 *
 *   r = latest + (1 - latest) keep^t
 *
 * which falls from 1 towards `latest`, so that every success is worth more than every failure.
 */
export function create({ keep, latest }: Options): RewardScheme {
  // Edit here: what a success in a turn is worth.
  const worth = (turn: number): number => latest + (1 - latest) * keep ** turn;
  return {
    // At most one turn of an episode is paid; `turn` where any may be.
    density: 'outcome',
    // Edit here: the number of one turn. Whatever it must know of the past stands in `previous`.
    score: ({ facts, previous, index }) => (facts.success && previous?.success !== true ? worth(index) : 0),
    // The lowest and highest return of successes and of failures. Both factors fall from turn to turn: the last turn
    // pays least.
    bounds: ({ horizon, discount = 1 }) => ({
      success: [discount ** (horizon - 1) * worth(horizon - 1), 1],
      failure: [0, 0],
    }),
  };
}
