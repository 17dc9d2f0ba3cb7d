import type { RunPlan } from '../config/run-plan.js';
import type { Random } from '../contracts/random.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import type { Actor } from '../rollout/actor.js';
import { collectEpisodes } from '../rollout/collect-episodes.js';
import type { ComposedReward } from '../rollout/compose-reward.js';
import { episodeKeys } from '../rollout/episode-keys.js';
import { chooseTasks } from '../rollout/task-order.js';
import type { OpenEnvironment } from './open-environment.js';

/** The tasks to play for a measurement before training. */
export interface TrainingTasks {
  readonly plan: RunPlan;
  readonly environment: OpenEnvironment;
  readonly reward: ComposedReward;
  /** Number of tasks; more than 0. */
  readonly tasks: number;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/**
 * Plays each training task `episodesPerTask` times, and returns the completed episodes. Every player gets the same
 * tasks in the same worlds.
 */
export async function playTrainingTasks(
  { plan, environment, reward, tasks, random, signal }: TrainingTasks,
  actor: Actor,
  episodesPerTask: number,
  horizon: number,
): Promise<CompletedEpisode[]> {
  const chosen = await chooseTasks(environment.world.splits.train, tasks, random.stream('tasks'));
  const episodes = await collectEpisodes(episodeKeys(chosen, episodesPerTask), {
    actor,
    environments: environment.pool,
    reward,
    horizon,
    random: random.stream('episodes'),
    rollout: { ...plan.rollout, retries: 0 },
    signal,
  });
  return episodes.filter((episode) => episode.status === 'completed');
}
