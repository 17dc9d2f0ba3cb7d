import type { CompletedEpisode, Turn } from '../contracts/trajectory.js';

/** How often a reward speaks: over some episodes, or one player's. */
export interface RewardDensity {
  /** Share of turns that are rewarded; 0 where no turn was played. */
  readonly rewardsPerTurn: number;
  /** Turns per rewarded turn; null where none is rewarded. */
  readonly stepsPerReward: number | null;
}

/**
 * Some term of the reward pays: its part of the turn lies above 0. Prices do not count, or a cost of turns would make
 * every reward dense; nor does a turn that pays cease to be one because a price of the same turn outweighs it.
 */
export function isRewarded({ components }: Pick<Turn, 'components'>): boolean {
  return Object.values(components).some((part) => part > 0);
}

/**
 * The density of the rewards of these episodes. Wang and Ammanabrolu (arXiv 2510.01132) give it as steps per reward,
 * the length of a walkthrough over its score; here it is measured, and a turn that earns two points at once is one
 * rewarded turn.
 */
export function rewardDensity(episodes: readonly CompletedEpisode[]): RewardDensity {
  const turns = episodes.flatMap((episode) => episode.turns);
  const rewarded = turns.filter(isRewarded).length;
  return {
    rewardsPerTurn: turns.length === 0 ? 0 : rewarded / turns.length,
    stepsPerReward: rewarded === 0 ? null : turns.length / rewarded,
  };
}
