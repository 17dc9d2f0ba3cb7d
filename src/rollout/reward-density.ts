import type { CompletedEpisode, Turn } from '../contracts/trajectory.js';

/** How often a reward is given, over some episodes or those of one player. */
export interface RewardDensity {
  /** Share of turns that are rewarded; 0 if no turn was played. */
  readonly rewardsPerTurn: number;
  /** Turns per rewarded turn; null if no turn is rewarded. */
  readonly stepsPerReward: number | null;
}

/**
 * Whether some term of the reward is above 0 in this turn. Prices do not count, because a cost per turn would make
 * every reward dense. A rewarded turn also stays rewarded if a price in the same turn is larger.
 */
export function isRewarded({ components }: Pick<Turn, 'components'>): boolean {
  return Object.values(components).some((part) => part > 0);
}

/**
 * The density of the rewards of these episodes. Wang and Ammanabrolu (arXiv 2510.01132) give it as steps per reward,
 * the length of a walkthrough over its score. Here it is measured, and a turn that earns two points together is one
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
