import type { Episode, FailedEpisode } from '../contracts/trajectory.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { WorldHandle } from './world-handle.js';

/** Counts the failed episodes of a collection that comes part by part. */
export class FailureCount {
  #first: FailedEpisode | undefined;
  #failed = 0;
  #episodes = 0;

  get failed(): number {
    return this.#failed;
  }

  add(episodes: readonly Episode[]): void {
    const failed = episodes.filter((episode) => episode.status === 'failed');
    this.#first ??= failed[0];
    this.#failed += failed.length;
    this.#episodes += episodes.length;
  }

  /**
   * Throws AG_EPISODES_FAILED, with the name of the world, if the share of failed episodes after all retries exceeds
   * `limit`.
   */
  refuse(limit: number, { title }: Pick<WorldHandle, 'title'>): void {
    const first = this.#first;
    if (first === undefined || this.#failed <= limit * this.#episodes) return;
    throw new AgentgymError('AG_EPISODES_FAILED', {
      message:
        `${this.#failed} of ${this.#episodes} episodes of the ${title} failed; the first, on task "${first.task}", ` +
        `in ${first.failure.phase}: ${first.failure.message}`,
    });
  }
}

/** Throws the error of `FailureCount.refuse` for a collection that is complete. */
export function refuseManyFailures(
  episodes: readonly Episode[],
  limit: number,
  world: Pick<WorldHandle, 'title'>,
): void {
  const count = new FailureCount();
  count.add(episodes);
  count.refuse(limit, world);
}
