import type { Random } from '../contracts/random.js';
import { composeReward } from './compose-reward.js';
import type { RolloutSettings } from './collect-episodes.js';
import { type DemonstratedEpisode, demonstratedEpisode } from './demonstrated-episode.js';
import type { EnvironmentPool } from './environment-pool.js';
import { FailureCount } from './failures.js';
import { playInParts } from './play-in-parts.js';
import { expertActor } from './players.js';
import { taskOrder } from './task-order.js';
import type { TaskList } from './world-handle.js';

export interface CollectDemonstrationsOptions {
  /** From the training split. Another split is allowed only if nothing is trained on the result. */
  readonly tasks: TaskList;
  readonly environments: EnvironmentPool;
  /** Name of the expert. */
  readonly expert: string;
  /** Place of the first episode; absent: 0. The episode at a place does not depend on where a collection begins. */
  readonly first?: number;
  /** Episodes to play. */
  readonly count: number;
  /** Omits the lost episodes. */
  readonly successOnly?: boolean;
  /** Turns after which an episode is truncated. */
  readonly horizon: number;
  readonly random: Random;
  readonly rollout: RolloutSettings;
  readonly signal: AbortSignal;
}

/** What became of a game: a demonstration, left out by `successOnly` or without an action, or failed. */
export type GameOutcome = 'kept' | 'left out' | 'failed';

export interface CollectedDemonstrations {
  /** In the order of their tasks. */
  readonly episodes: readonly DemonstratedEpisode[];
  /** Of each game, in the order of their tasks. */
  readonly outcomes: readonly GameOutcome[];
  /** Completed episodes, including those that `successOnly` omitted. */
  readonly played: number;
  /** Share of the completed episodes in which the expert solved the task. */
  readonly success: number;
}

/**
 * Lets an expert play training tasks. In a bounded split, every task is played equally often.
 *
 * @throws AG_EPISODES_FAILED if too many episodes failed, AG_NO_EXPERT, AG_INTERRUPTED
 */
export async function collectDemonstrations(options: CollectDemonstrationsOptions): Promise<CollectedDemonstrations> {
  const { tasks, environments, expert, first = 0, count, successOnly = false, horizon } = options;
  const { random, rollout, signal } = options;
  const { world } = environments;
  const order = taskOrder(tasks, random.stream('tasks'));
  const parts = playInParts(
    count,
    async (from, many) => {
      const ids = await order(first + from, many);
      return ids.map((task, index) => ({ iteration: 0, task, group: first + from + index, member: 0 }));
    },
    {
      actor: expertActor(world, expert),
      environments,
      reward: composeReward([]),
      horizon,
      random: random.stream('episodes'),
      rollout,
      signal,
    },
  );
  const failures = new FailureCount();
  const episodes: DemonstratedEpisode[] = [];
  const outcomes: GameOutcome[] = [];
  let [played, successes] = [0, 0];
  for await (const part of parts) {
    failures.add(part);
    failures.refuse(rollout.maxFailedShare, world);
    for (const episode of part) {
      if (episode.status === 'failed') {
        outcomes.push('failed');
        continue;
      }
      played += 1;
      successes += Number(episode.success);
      const demonstrated = successOnly && !episode.success ? undefined : demonstratedEpisode(episode, false);
      outcomes.push(demonstrated === undefined ? 'left out' : 'kept');
      if (demonstrated !== undefined) episodes.push(demonstrated);
    }
  }
  return { episodes, outcomes, played, success: successes / Math.max(1, played) };
}
