import { TrackedAblation } from '../ablation/tracked-ablation.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { interruption } from '../errors/interruption.js';
import { messageOf } from '../errors/message-of.js';
import { isAblation } from '../runs/folder-kind.js';
import { resolveSubject } from '../runs/resolve-run.js';
import type { TrackingContext } from '../tracking/follow-run.js';
import { mlflowAccess } from '../tracking/mlflow-access.js';
import { MlflowClient } from '../tracking/mlflow-client.js';
import type { SentCounts } from '../tracking/mlflow-run.js';
import { sendPatiently } from '../tracking/send-patiently.js';
import { TrackedRun } from '../tracking/tracked-run.js';

export interface TrackRunsRequest {
  /** Runs and ablations as commands accept them. */
  readonly references: readonly string[];
  readonly runsFolder: string;
  readonly context: TrackingContext;
  readonly signal: AbortSignal;
  /** Hears of each run or ablation that was sent. */
  readonly onSent: (sent: SentSubject) => void;
}

/** A run or an ablation that was sent. */
export interface SentSubject extends SentCounts {
  readonly directory: string;
  /** Id of its run on MLflow. */
  readonly mlflowRun: string;
}

const again = 'Run the same command again: it sends what the server lacks.';

/**
 * Sends runs and ablations to the MLflow server of the environment, one after the other.
 *
 * @throws AG_TRACKING_SETTING, AG_TRACKING_FAILED, AG_INTERRUPTED, and as `resolveSubject`
 */
export async function trackRuns({
  references,
  runsFolder,
  context,
  signal,
  onSent,
}: TrackRunsRequest): Promise<{ readonly host: string; readonly tracked: readonly SentSubject[] }> {
  const client = new MlflowClient(mlflowAccess(context.environment));
  const folders = await Promise.all(references.map((reference) => resolveSubject(reference, runsFolder)));
  const tracked: SentSubject[] = [];
  for (const directory of new Set(folders)) {
    const kind = isAblation(directory) ? TrackedAblation : TrackedRun;
    const subject = new kind(directory, client, context.pages);
    try {
      await sendPatiently(subject, signal);
    } catch (error) {
      if (signal.aborted) throw interruption(signal, again);
      if (isAgentgymError(error)) throw error;
      const message = `${directory} was not sent to MLflow: ${messageOf(error)}.`;
      throw new AgentgymError('AG_TRACKING_FAILED', { message, cause: error });
    }
    const sent = { directory, mlflowRun: subject.runId ?? '', ...subject.sent };
    tracked.push(sent);
    onSent(sent);
  }
  return { host: client.access.host, tracked };
}
