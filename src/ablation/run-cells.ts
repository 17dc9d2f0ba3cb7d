import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { RunEvent } from '../contracts/events.js';
import type { GridEvent } from '../reporting/grid-progress.js';
import { runOwner } from '../runs/run-lock.js';
import { readCellRun, type AblationDirectory, type CellRun } from './ablation-directory.js';
import { shareStages } from './shared-stages.js';
import { trainInProcess, type TrainOutcome } from './train-process.js';

export interface RunCellsOptions {
  readonly directory: AblationDirectory;
  /** Number of concurrent runs. */
  readonly workers: number;
  readonly listener: (event: GridEvent) => void;
  /** Whether stages that cells share are trained once per seed. False: in every cell. */
  readonly share: boolean;
  /** Stops running runs, which stay resumable, and begins no more. */
  readonly signal: AbortSignal;
}

/** Milliseconds to wait for a run that another process is just ending. */
const patience = 60_000;

/** Trains the missing runs, several at a time. A failed run is kept and noted, and does not stop others. */
export async function runCells(options: RunCellsOptions): Promise<void> {
  const { directory, workers, listener, signal, share } = options;
  const missing: MissingRun[] = [];
  const stages = join(directory.path, 'shared');
  for (const run of share ? shareStages(directory.runs, stages) : directory.runs) {
    const state = await readCellRun(run, directory.manifest.finished);
    if (state?.result === undefined) missing.push({ run, resume: state !== undefined });
    else {
      await directory.noteFinished(run);
      listener({ type: 'run-found', ...keyOf(run) });
    }
  }
  const queue = new RunQueue(missing);
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let next = await queue.next(); next !== undefined && !signal.aborted; next = await queue.next()) {
        const { run, resume } = next;
        const hear = (event: RunEvent) => {
          if (event.type === 'stage-started' && event.kind === 'rl') queue.release(run);
          listener({ type: 'run-event', ...keyOf(run), event });
        };
        listener({ type: 'run-started', ...keyOf(run), resumed: resume });
        const busy = resume ? await ownerAfterWaiting(run.directory, signal) : undefined;
        const outcome: TrainOutcome =
          busy === undefined
            ? await trainInProcess(run, resume, hear, signal)
            : { status: 'failed', cause: `process ${busy} is using ${run.directory}` };
        queue.release(run);
        if (outcome.status === 'completed') await directory.noteFinished(run);
        if ('cause' in outcome) await directory.noteFailed(run, outcome.cause);
        const cause = 'cause' in outcome ? { cause: outcome.cause } : {};
        listener({ type: 'run-ended', ...keyOf(run), status: outcome.status, ...cause });
      }
    }),
  );
  if (!signal.aborted) await rm(stages, { recursive: true, force: true });
}

interface MissingRun {
  readonly run: CellRun;
  readonly resume: boolean;
}

/** Runs in their order. A run waits while another one trains the stages that it will read. */
class RunQueue {
  readonly #training = new Map<string, CellRun>();
  #waiting: (() => void)[] = [];

  constructor(readonly missing: MissingRun[]) {}

  /** Returns undefined if no run is left. */
  async next(): Promise<MissingRun | undefined> {
    for (;;) {
      const place = this.missing.findIndex(({ run }) => !this.#training.has(run.sharedStages ?? ''));
      const [next] = place < 0 ? [] : this.missing.splice(place, 1);
      if (next !== undefined || this.missing.length === 0) {
        const shared = next?.run.sharedStages;
        if (next !== undefined && shared !== undefined) this.#training.set(shared, next.run);
        return next;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Wakes waiting runs: this run has written its shared stages, or will never write them. */
  release(run: CellRun): void {
    const shared = run.sharedStages;
    if (shared === undefined || this.#training.get(shared) !== run) return;
    this.#training.delete(shared);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
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
