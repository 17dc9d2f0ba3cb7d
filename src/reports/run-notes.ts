import { changedLogs } from '../runs/changed-logs.js';
import type { LoadedRun } from '../runs/load-run.js';

/** What a reader should know of the logs of a run. `logs`: those with an incomplete last line. */
export function logNotes({ manifest, changed }: LoadedRun, logs: readonly string[]): string[] {
  return [
    ...halfNotes(`Run ${manifest.id}`, logs),
    ...(changed.length > 0 ? [`Run ${manifest.id}: ${changedLogs(changed)}`] : []),
  ];
}

/** Which logs of a run have an incomplete last line. */
export function halfNotes(run: string, logs: readonly string[]): string[] {
  return logs.length === 0 ? [] : [`${run}: the last line of ${logs.join(' and ')} is incomplete and left out.`];
}

/** What a reader should know before trusting the results of a run. */
export function runNotes(run: LoadedRun, logs: readonly string[]): string[] {
  const { manifest, status } = run;
  return [
    ...logNotes(run, logs),
    ...(status === 'completed' ? [] : [`Run ${manifest.id} is ${status}: these are its results so far.`]),
    ...(manifest.inexact.length > 0
      ? [`Run ${manifest.id} is not exactly repeatable: ${manifest.inexact.join('; ')}.`]
      : []),
  ];
}
