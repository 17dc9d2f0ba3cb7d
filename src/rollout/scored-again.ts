import type { CompletedEpisode, Turn } from '../contracts/trajectory.js';
import type { ComposedReward } from './compose-reward.js';
import { rewardTurn } from './reward-turn.js';

/** A played episode with the numbers of other schemes, and without what judges said. */
export function scoredAgain(
  { references: _, verdicts: __, ...episode }: CompletedEpisode,
  reward: ComposedReward,
  references: readonly string[] | undefined,
): CompletedEpisode {
  const { turns, terminated, truncated } = episode;
  const scored = turns.map((turn, index): Turn => {
    const isLast = index === turns.length - 1;
    const place = {
      previous: turns[index - 1]?.facts,
      references,
      terminated: isLast && terminated,
      truncated: isLast && truncated !== undefined,
      index,
    };
    return { ...turn, ...reward.score(rewardTurn(turn, place)) };
  });
  return {
    ...episode,
    turns: scored,
    return: scored.reduce((sum, turn) => sum + turn.reward, 0),
    ...(references && { references }),
  };
}
