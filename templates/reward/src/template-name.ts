import type { RewardScheme } from '@agentgym/cli';

import type { Options } from './options.js';

/**
 * Pays for success only, and more for an early one: in turn t, from 0,
 *
 *   r = latest + (1 - latest) keep^t
 *
 * which falls from 1 towards `latest`, so every success is worth more than every failure.
 */
export function create({ keep, latest }: Options): RewardScheme {
  // Edit here: the worth of a success in a turn.
  const worth = (turn: number): number => latest + (1 - latest) * keep ** turn;
  return {
    // At most one turn of an episode has a reward. Write `turn` if every turn may have one.
    density: 'outcome',
    // Edit here: the reward of one turn. `previous` has the facts before the turn.
    score: ({ facts, previous, index }) => (facts.success && previous?.success !== true ? worth(index) : 0),
    // The lowest and highest return of successes and of failures. Both factors decrease from turn to turn, so the last
    // turn pays least.
    bounds: ({ horizon, discount = 1 }) => ({
      success: [discount ** (horizon - 1) * worth(horizon - 1), 1],
      failure: [0, 0],
    }),
  };
}
