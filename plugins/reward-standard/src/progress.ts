import type { RewardScheme } from '@agentgym/cli';

import type { ProgressOptions } from './options.js';

/**
 * Pays for the way as it is covered, `share` in all, and 1 for arriving. The numbers of an episode telescope: going back and
 * forth earns nothing (potential-based shaping, Ng, Harada and Russell 1999). A success that left part of the way out is paid for
 * the whole of it, so every success scores 1 + `share` and every failure at most `share`.
 */
export function create({ share }: ProgressOptions): RewardScheme {
  return {
    density: 'turn',
    score: ({ facts, previous }) => {
      const solvedBefore = previous?.success === true;
      const before = solvedBefore ? 1 : (previous?.progress ?? 0);
      const after = facts.success ? 1 : (facts.progress ?? before);
      return share * (after - before) + (facts.success && !solvedBefore ? 1 : 0);
    },
    bounds: () => ({ success: [1 + share, 1 + share], failure: [0, share] }),
  };
}
