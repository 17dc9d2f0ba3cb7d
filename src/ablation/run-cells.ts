import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { RunEvent } from '../contracts/events.js';
import type { GridEvent } from '../reporting/grid-progress.js';
import { causeOf } from '../runners/failure-of.js';
import type { Runner, TrainOutcome } from '../runners/runner.js';
import { runOwner } from '../runs/run-lock.js';
import { readCellRun, type AblationDirectory, type CellRun } from './ablation-directory.js';
import { RunQueue, type MissingRun } from './run-queue.js';
import { shareStages } from './shared-stages.js';

export interface RunCellsOptions {
  readonly directory: AblationDirectory;
  /** Trains the runs. */
  readonly runner: Runner;
  readonly listener: (event: GridEvent) => void;
  /** Whether stages and games of experts that cells share are trained and played once per seed. False: in every cell. */
  readonly share: boolean;
  /** Stops running runs, which stay resumable, and begins no more. */
  readonly signal: AbortSignal;
}

/** Milliseconds to wait for a run that another process is just ending. */
const patience = 60_000;

/** Trains the missing runs, as many at a time as the runner takes. A failed run is kept and noted, and does not stop others. */
export async function runCells(options: RunCellsOptions): Promise<void> {
  const { directory, runner, listener, signal, share } = options;
  const stages = join(directory.path, 'shared');
  const sharedGames = join(directory.path, 'demonstrations');
  const sharing =
    share && runner.sharesDisk
      ? shareStages(directory.runs, stages).map((run) => ({ ...run, sharedGames }))
      : directory.runs;
  const { missing, found } = await findMissing(directory, sharing);
  for (const run of found) listener({ type: 'run-found', ...keyOf(run) });
  const queue = new RunQueue(missing, signal);
  const together = Math.max(1, Math.min(runner.workers, missing.length));
  await Promise.all(
    Array.from({ length: runner.workers }, async () => {
      for (let next = await queue.next(); next !== undefined; next = await queue.next()) {
        const { run, resume } = next;
        const hear = (event: RunEvent) => {
          if (event.type === 'stage-started' && event.kind === 'rl') queue.release(run);
          listener({ type: 'run-event', ...keyOf(run), event });
        };
        listener({ type: 'run-started', ...keyOf(run), resumed: resume });
        const busy = resume ? await ownerAfterWaiting(run.directory, signal) : undefined;
        const outcome: TrainOutcome =
          busy === undefined
            ? await runner.train({ ...run, together }, resume, hear, signal)
            : { status: 'failed', cause: `process ${busy} is using ${run.directory}` };
        queue.release(run);
        if (outcome.status === 'completed') await directory.noteFinished(run);
        const failed = 'cause' in outcome && { cause: causeOf(outcome) };
        if (failed) await directory.noteFailed(run, failed.cause);
        listener({ type: 'run-ended', ...keyOf(run), status: outcome.status, ...failed });
      }
    }),
  );
  if (!signal.aborted) await rm(stages, { recursive: true, force: true });
}

/** Runs that are not complete. Complete ones are noted as finished. */
export async function findMissing(
  directory: AblationDirectory,
  runs: readonly CellRun[],
): Promise<{ readonly missing: MissingRun[]; readonly found: readonly CellRun[] }> {
  const missing: MissingRun[] = [];
  const found: CellRun[] = [];
  for (const run of runs) {
    const state = await readCellRun(run, directory.manifest.finished);
    if (state?.result === undefined) missing.push({ run, resume: state !== undefined });
    else {
      await directory.noteFinished(run);
      found.push(run);
    }
  }
  return { missing, found };
}

function keyOf({ cell, seed }: CellRun): { cell: string; seed: number } {
  return { cell: cell.title ?? cell.id, seed };
}

/**
 * The process that still uses the run after the wait, if any. A run whose ablation was killed first saves a checkpoint.
 */
async function ownerAfterWaiting(directory: string, signal: AbortSignal): Promise<number | undefined> {
  const until = performance.now() + patience;
  let owner = runOwner(directory);
  while (owner !== undefined && performance.now() < until && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    owner = runOwner(directory);
  }
  return owner?.pid;
}
