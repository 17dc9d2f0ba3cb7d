import type { RunEvent } from '../contracts/events.js';
import { LiveTracking } from './live-tracking.js';
import type { MlflowAccess } from './mlflow-access.js';
import { MlflowClient } from './mlflow-client.js';
import { TrackedRun, type TrackedPages } from './tracked-run.js';
import { trackCommand } from './track-command.js';

/** What trackers need from outside: the variables that name servers, and pages that higher layers make. */
export interface TrackingContext {
  readonly environment: { readonly [name: string]: string | undefined };
  readonly pages: TrackedPages;
}

/** Keeps a run on MLflow up to date until `finish`. What is refused is told at the end. */
export function followRun(
  directory: string,
  access: MlflowAccess,
  { pages }: TrackingContext,
  listener: (event: RunEvent) => void,
): LiveTracking {
  const run = new TrackedRun(directory, new MlflowClient(access), pages);
  const warn = (message: string) => listener({ type: 'warning', message: `MLflow: ${message}` });
  return new LiveTracking(run, { warn, later: trackCommand(directory) });
}
