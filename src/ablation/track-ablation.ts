import { isTrackedBy } from '../config/is-tracked-by.js';
import type { TrackingContext } from '../tracking/follow-run.js';
import { LiveTracking } from '../tracking/live-tracking.js';
import { mlflowAccess } from '../tracking/mlflow-access.js';
import { MlflowClient } from '../tracking/mlflow-client.js';
import { trackCommand } from '../tracking/track-command.js';
import type { PlannedAblation } from './plan-ablation.js';
import { TrackedAblation } from './tracked-ablation.js';

/** Seconds between two looks at an ablation. Little of its parent run changes while cells run. */
const everySeconds = 30;

/**
 * Prepares the tracking of an ablation. Undefined if no server shows it.
 *
 * @returns begins with the folder of the ablation; `finish` must follow when its lock is released
 * @throws AG_TRACKING_SETTING before anything is written
 */
export function trackAblation(
  { cells }: PlannedAblation,
  { environment, pages }: TrackingContext,
  warn: (message: string) => void,
): ((directory: string) => LiveTracking) | undefined {
  if (!isTrackedBy(cells[0].recipe, 'mlflow')) return undefined;
  const client = new MlflowClient(mlflowAccess(environment));
  return (directory) =>
    new LiveTracking(new TrackedAblation(directory, client, pages), {
      warn: (message) => warn(`MLflow: ${message}`),
      later: trackCommand(directory),
      everySeconds,
    });
}
