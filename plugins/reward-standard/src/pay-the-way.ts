import type { Facts, RewardScheme } from '@agentgym/cli';

/**
 * Pays for the way as it is covered, `share` in all, and 1 for arriving:
 *
 *   r_t = share (c_t - c_(t-1)) + [solved in t],      c_t: how much of the way is covered, from 0; 1 once solved
 *
 * The numbers of an episode telescope: going back and forth earns nothing (potential-based shaping, Ng, Harada and
 * Russell 1999). A success that left part of the way out is paid for the whole of it, so every success returns 1 +
 * `share` and every failure at most `share`. Discounted sums obey the same: summed by parts, a failure's is a mean of
 * its c_t, at most `share`; a success's is the least where all comes in the last turn.
 *
 * @param covered the share of the way that the facts say is covered, in [0, 1]; undefined where they do not say
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
