import type { RunEvent } from '../contracts/events.js';
import type { GridEvent } from '../reporting/grid-progress.js';
import { runOwner } from '../runs/run-lock.js';
import { readCellRun, type AblationDirectory, type CellRun } from './ablation-directory.js';
import { trainInProcess, type TrainOutcome } from './train-process.js';

export interface RunCellsOptions {
  readonly directory: AblationDirectory;
  /** Runs side by side. */
  readonly workers: number;
  readonly listener: (event: GridEvent) => void;
  /** Ends the runs that are under way, resumable, and begins no more. */
  readonly signal: AbortSignal;
}

/** Milliseconds to wait for a run that another process is just ending. */
const patience = 60_000;

/** Trains what is missing, some runs side by side. One that fails is kept as it is, noted, and stops no other. */
export async function runCells(options: RunCellsOptions): Promise<void> {
  const { directory, workers, listener, signal } = options;
  const missing: { run: CellRun; resume: boolean }[] = [];
  for (const run of directory.runs) {
    const state = await readCellRun(run, directory.manifest.finished);
    if (state?.result === undefined) missing.push({ run, resume: state !== undefined });
    else {
      await directory.noteFinished(run);
      listener({ type: 'run-found', ...keyOf(run) });
    }
  }
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let next = missing.shift(); next !== undefined && !signal.aborted; next = missing.shift()) {
        const { run, resume } = next;
        const hear = (event: RunEvent) => listener({ type: 'run-event', ...keyOf(run), event });
        listener({ type: 'run-started', ...keyOf(run), resumed: resume });
        const busy = resume ? await ownerAfterWaiting(run.directory, signal) : undefined;
        const outcome: TrainOutcome =
          busy === undefined
            ? await trainInProcess(run, resume, hear, signal)
            : { status: 'failed', cause: `the process ${busy} is working on ${run.directory}` };
        if (outcome.status === 'completed') await directory.noteFinished(run);
        if ('cause' in outcome) await directory.noteFailed(run, outcome.cause);
        const cause = 'cause' in outcome ? { cause: outcome.cause } : {};
        listener({ type: 'run-ended', ...keyOf(run), status: outcome.status, ...cause });
      }
    }),
  );
}

function keyOf({ cell, seed }: CellRun): { cell: string; seed: number } {
  return { cell: cell.title ?? cell.id, seed };
}

/** A run whose ablation was killed saves a checkpoint before it ends. The process that is still at work then, if any. */
async function ownerAfterWaiting(directory: string, signal: AbortSignal): Promise<number | undefined> {
  const until = performance.now() + patience;
  let owner = runOwner(directory);
  while (owner !== undefined && performance.now() < until && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    owner = runOwner(directory);
  }
  return owner?.pid;
}
