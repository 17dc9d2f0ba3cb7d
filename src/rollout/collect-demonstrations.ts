import type { ActionFormat } from '../contracts/format.js';
import type { Random } from '../contracts/random.js';
import { systemPrompt } from './actor.js';
import { collectEpisodes, type RolloutSettings } from './collect-episodes.js';
import { composeReward } from './compose-reward.js';
import { type Demonstration, writeAction } from './demonstration.js';
import type { EnvironmentPool } from './environment-pool.js';
import { refuseManyFailures } from './failures.js';
import { expertActor } from './players.js';
import { taskOrder } from './task-order.js';
import type { Toolbox } from './toolbox.js';
import type { TaskList } from './world-handle.js';

export interface CollectDemonstrationsOptions {
  /** From the training split. Another split is allowed only if nothing is trained on the result. */
  readonly tasks: TaskList;
  readonly environments: EnvironmentPool;
  /** Name of the expert. */
  readonly expert: string;
  /** Episodes to play. */
  readonly count: number;
  /** Omits the lost episodes. */
  readonly successOnly?: boolean;
  readonly format: ActionFormat;
  /** Described in the system prompt, as in rollouts; experts call none. */
  readonly tools?: Toolbox;
  /** Turns after which an episode is truncated. */
  readonly horizon: number;
  readonly random: Random;
  readonly rollout: RolloutSettings;
  readonly signal: AbortSignal;
}

export interface CollectedDemonstrations {
  /** In the order of their tasks. */
  readonly demonstrations: readonly Demonstration[];
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
  const { tasks, environments, expert, count, successOnly = false, format, tools, horizon } = options;
  const { random, rollout, signal } = options;
  const { world } = environments;
  const ids = await taskOrder(tasks, random.stream('tasks'))(0, count);
  const keys = ids.map((task, group) => ({ iteration: 0, task, group, member: 0 }));
  const episodes = await collectEpisodes(keys, {
    actor: expertActor(world, expert),
    environments,
    reward: composeReward([]),
    horizon,
    random: random.stream('episodes'),
    rollout,
    signal,
  });
  refuseManyFailures(episodes, rollout.maxFailedShare, world);

  const completed = episodes.filter((episode) => episode.status === 'completed');
  const demonstrations = completed
    .filter(({ success }) => success || !successOnly)
    .map(({ task, instructions = world.instructions, turns, finalObservation }) => ({
      name: task,
      task,
      system: systemPrompt(instructions, format, tools),
      observations: [...turns.map(({ observation }) => observation), finalObservation],
      texts: turns.map(({ text }) => writeAction(text, format)),
    }));
  const successes = completed.filter(({ success }) => success).length;
  return { demonstrations, played: completed.length, success: successes / Math.max(1, completed.length) };
}
