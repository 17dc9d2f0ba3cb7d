import type { BoundsContext, RewardBounds, RewardScheme, RewardTurn } from '../contracts/reward.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { OpenJudge } from './open-judge.js';

interface AnyTerm {
  /** Unique among the terms. */
  readonly name: string;
  readonly weight: number;
  /** Whether it reads the right answers of tasks. */
  readonly references?: boolean;
}

/** A term that is asked in every turn. */
interface SchemeTerm extends AnyTerm {
  readonly scheme: RewardScheme;
}

/** A term that reads whole episodes after they have ended. */
export interface JudgedTerm extends AnyTerm {
  readonly judge: OpenJudge;
  /** Its judgements depend on more than the episodes. */
  readonly external: boolean;
}

/** One weighted term of a reward. */
export type RewardTerm = SchemeTerm | JudgedTerm;

/** Parts of a reward by the names of its terms, each with its weight. */
type Components = { readonly [term: string]: number };

/** The reward for training: the weighted sum of the terms, and each term's part of it. */
export interface ComposedReward {
  /** The sum of the schemes, for a turn that has just been played. */
  score(turn: RewardTurn): { readonly reward: number; readonly components: Components };
  /** The judges, whose numbers are added when a group of episodes has ended. Usually none. */
  readonly judges: readonly JudgedTerm[];
  /** Whether some term reads the right answers of tasks. */
  readonly references: boolean;
  /** The same parts in the order of the terms. */
  ordered(components: Components): Components;
  /** The sum of the terms' bounds, each with its weight. For several contexts, the widest bounds of each term. */
  bounds(...contexts: readonly BoundsContext[]): RewardBounds;
}

/** Adds up the terms. `score` throws AG_REWARD_NOT_FINITE if a scheme returns a number that is not finite. */
export function composeReward(terms: readonly RewardTerm[]): ComposedReward {
  const schemes = terms.filter((term) => 'scheme' in term);
  return {
    judges: terms.filter((term) => 'judge' in term),
    references: terms.some(({ references = false }) => references),
    ordered: (components) =>
      Object.fromEntries(terms.flatMap(({ name }) => (name in components ? [[name, components[name]!]] : []))),
    score(turn) {
      let reward = 0;
      const components: Record<string, number> = {};
      for (const { name, weight, scheme } of schemes) {
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
      const all = terms.map((term) => {
        const bounded = 'scheme' in term ? term.scheme : term.judge;
        return { weight: term.weight, bounds: contexts.map((one) => bounded.bounds(one)) };
      });
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
