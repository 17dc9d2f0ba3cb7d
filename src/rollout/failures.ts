import type { Episode } from '../contracts/trajectory.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** Share of failed episodes above which a collection says nothing about the policy any more. */
const limit = 0.5;

/** Throws AG_EPISODES_FAILED where more than half of the episodes failed to their last retry. */
export function refuseManyFailures(episodes: readonly Episode[]): void {
  const failed = episodes.filter((episode) => episode.status === 'failed');
  const [first] = failed;
  if (first === undefined || failed.length <= limit * episodes.length) return;
  throw new AgentgymError('AG_EPISODES_FAILED', {
    message:
      `${failed.length} of ${episodes.length} episodes failed; the first, on task "${first.task}", ` +
      `in ${first.failure.phase}: ${first.failure.message}`,
  });
}
