import type { BoundsContext, RewardBounds, RewardScheme, RewardTurn } from '../contracts/reward.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** One weighted term of a reward. */
export interface RewardTerm {
  /** Unique among the terms. */
  readonly name: string;
  readonly weight: number;
  readonly scheme: RewardScheme;
}

/** The reward for training: the weighted sum of the terms, and each term's part of it. */
export interface ComposedReward {
  score(turn: RewardTurn): { readonly reward: number; readonly components: { readonly [term: string]: number } };
  /** The sum of the terms' bounds, each with its weight. For several contexts, the widest bounds of each term. */
  bounds(...contexts: readonly BoundsContext[]): RewardBounds;
}

/** Adds up the terms. `score` throws AG_REWARD_NOT_FINITE if a scheme returns a number that is not finite. */
export function composeReward(terms: readonly RewardTerm[]): ComposedReward {
  return {
    score(turn) {
      let reward = 0;
      const components: Record<string, number> = {};
      for (const { name, weight, scheme } of terms) {
        const part = weight * scheme.score(turn);
        if (!Number.isFinite(part)) {
          throw new AgentgymError('AG_REWARD_NOT_FINITE', { message: `The reward term "${name}" returned ${part}.` });
        }
        components[name] = part;
        reward += part;
      }
      return { reward, components };
    },
    bounds(...contexts) {
      const all = terms.map(({ weight, scheme }) => ({ weight, bounds: contexts.map((one) => scheme.bounds(one)) }));
      const sum = (outcome: keyof RewardBounds): readonly [number, number] => {
        let low = 0;
        let high = 0;
        for (const { weight, bounds } of all) {
          const ends = bounds.flatMap((one) => one[outcome].map((bound) => weight * bound));
          low += Math.min(...ends);
          high += Math.max(...ends);
        }
        return [low, high];
      };
      return { success: sum('success'), failure: sum('failure') };
    },
  };
}
