import type { Episode } from '../contracts/trajectory.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** Throws AG_EPISODES_FAILED where a larger share of the episodes than `limit` failed to their last retry. */
export function refuseManyFailures(episodes: readonly Episode[], limit: number): void {
  const failed = episodes.filter((episode) => episode.status === 'failed');
  const [first] = failed;
  if (first === undefined || failed.length <= limit * episodes.length) return;
  throw new AgentgymError('AG_EPISODES_FAILED', {
    message:
      `${failed.length} of ${episodes.length} episodes failed; the first, on task "${first.task}", ` +
      `in ${first.failure.phase}: ${first.failure.message}`,
  });
}
