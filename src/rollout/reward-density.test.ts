import { describe, expect, it } from 'vitest';

import { createRandom } from '../random/create-random.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { collectEpisodes } from './collect-episodes.js';
import { collectOptions, keys } from './fixtures/collect.js';
import { isRewarded, rewardDensity } from './reward-density.js';
import { summarizeEpisodes } from './summarize-episodes.js';

/** An episode with these reward components in its turns. */
const episode = (...turns: { readonly [term: string]: number }[]) =>
  ({ turns: turns.map((components) => ({ components })) }) as unknown as CompletedEpisode;

describe('rewardDensity', () => {
  it('counts turns in which some term pays', () => {
    const episodes = [
      episode({ sparse: 0 }, { sparse: 0 }, { sparse: 1 }),
      episode({ sparse: 0 }, { sparse: 0 }),
      episode({ sparse: 1 }),
    ];
    expect(rewardDensity(episodes)).toEqual({ rewardsPerTurn: 2 / 6, stepsPerReward: 3 });
  });

  // Goes red when turns count because their sum is not 0, or because it is above 0.
  it('is not moved by prices, however high', () => {
    expect(isRewarded({ components: { sparse: 0, cost: -0.1 } })).toBe(false);
    expect(isRewarded({ components: { sparse: 1, cost: -3 } })).toBe(true);
    expect(isRewarded({ components: { progress: -0.2 } })).toBe(false);
    expect(isRewarded({ components: {} })).toBe(false);
  });

  it('has no steps per reward where nothing is rewarded, and no rewards where nothing is played', () => {
    expect(rewardDensity([episode({ sparse: 0 }), episode()])).toEqual({ rewardsPerTurn: 0, stepsPerReward: null });
    expect(rewardDensity([])).toEqual({ rewardsPerTurn: 0, stepsPerReward: null });
  });

  it('measures play: the oracle of three signals is rewarded in every turn, a random player less often', async () => {
    const density = async (player: string) =>
      summarizeEpisodes(
        await collectEpisodes(
          keys(4, 4),
          collectOptions({ actor: { kind: 'environment', player }, random: createRandom(2) }),
        ),
      ).density;
    expect(await density('oracle')).toEqual({ rewardsPerTurn: 1, stepsPerReward: 1 });
    const random = await density('random');
    expect(random.rewardsPerTurn).toBeGreaterThan(0.1);
    expect(random.rewardsPerTurn).toBeLessThan(0.5);
    expect(random.stepsPerReward).toBeCloseTo(1 / random.rewardsPerTurn, 12);
  });
});
