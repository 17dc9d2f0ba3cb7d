import type { Facts, RewardScheme } from '@agentgym/cli';

/**
 * Pays for each covered part of the way, `share` in total, and 1 for success:
 *
 *   r_t = share (c_t - c_(t-1)) + [solved in t],      c_t: how much of the way is covered, from 0; 1 once solved
 *
 * The rewards of an episode form a telescoping sum, so going back and forth earns nothing (potential-based shaping, Ng,
 * Harada and Russell 1999). A success that skipped part of the way is paid for all of it, so every success returns 1 +
 * `share` and every failure at most `share`. Discounted sums have the same bounds: summed by parts, a failure returns
 * `share` times a mean of its c_t, at most `share`; a success returns the least if all comes in the last turn.
 *
 * @param covered the covered share of the way according to the facts, in [0, 1]; undefined if they do not contain it
 */
export function payTheWay(share: number, covered: (facts: Facts) => number | undefined): RewardScheme {
  return {
    density: 'turn',
    score: ({ facts, previous }) => {
      const solvedBefore = previous?.success === true;
      const before = solvedBefore ? 1 : ((previous && covered(previous)) ?? 0);
      const after = facts.success ? 1 : (covered(facts) ?? before);
      return share * (after - before) + (facts.success && !solvedBefore ? 1 : 0);
    },
    bounds: ({ horizon, discount = 1 }) => ({
      success: [discount ** (horizon - 1) * (1 + share), 1 + share],
      failure: [0, share],
    }),
  };
}
