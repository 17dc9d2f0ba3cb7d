import type { Episode } from '../contracts/trajectory.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { WorldHandle } from './world-handle.js';

/**
 * Throws AG_EPISODES_FAILED, with the name of the world, if the share of failed episodes after all retries exceeds
 * `limit`.
 */
export function refuseManyFailures(
  episodes: readonly Episode[],
  limit: number,
  { title }: Pick<WorldHandle, 'title'>,
): void {
  const failed = episodes.filter((episode) => episode.status === 'failed');
  const [first] = failed;
  if (first === undefined || failed.length <= limit * episodes.length) return;
  throw new AgentgymError('AG_EPISODES_FAILED', {
    message:
      `${failed.length} of ${episodes.length} episodes of the ${title} failed; the first, on task "${first.task}", ` +
      `in ${first.failure.phase}: ${first.failure.message}`,
  });
}
