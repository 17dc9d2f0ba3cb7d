import type { RunEvent } from '../contracts/events.js';
import { formatSeconds } from './format-quantity.js';
import { StageProgress } from './stage-progress.js';

/**
 * Events while the runs of a grid are executed, for a display. A run is a cell with a seed. `run-found`: it was complete
 * before; `cause`: why it failed.
 */
export type GridEvent = { readonly cell: string; readonly seed: number } & (
  | { readonly type: 'run-found' }
  | { readonly type: 'run-started'; readonly resumed: boolean }
  | { readonly type: 'run-event'; readonly event: RunEvent }
  | { readonly type: 'run-ended'; readonly status: EndOfRun; readonly cause?: string }
);

type EndOfRun = 'completed' | 'interrupted' | 'stopped' | 'failed';

interface CellProgress {
  done: number;
  failed: number;
  /** Seeds under way and their progress. */
  readonly active: Map<number, { readonly startedAt: number; stage?: StageProgress }>;
}

/** The progress of a grid: one line per cell, and the remaining time. It receives events and reads no clock. */
export class GridProgress {
  readonly #cells: ReadonlyMap<string, CellProgress>;
  #found = 0;
  #ended = 0;
  /** Total seconds of the runs that ended. */
  #seconds = 0;

  /** @param now milliseconds of any monotonic clock */
  constructor(
    readonly cells: readonly string[],
    private readonly seeds: number,
    private readonly workers: number,
    private readonly startedAt: number,
  ) {
    this.#cells = new Map(cells.map((id) => [id, { done: 0, failed: 0, active: new Map() }]));
  }

  take(event: GridEvent, now: number): void {
    const cell = this.#cell(event.cell);
    switch (event.type) {
      case 'run-found':
        cell.done += 1;
        this.#found += 1;
        return;
      case 'run-started':
        cell.active.set(event.seed, { startedAt: now });
        return;
      case 'run-event':
        this.#takeRunEvent(cell, event.seed, event.event, now);
        return;
      case 'run-ended':
        this.#endRun(cell, event.seed, event.status, now);
    }
  }

  /** "dense: 2/3 seeds; seed 3: rl: step 120/250, success 81 %" */
  describe(id: string): string {
    const { done, failed, active } = this.#cell(id);
    const broken = failed === 0 ? '' : `, ${failed} failed`;
    const seeds = [...active].map(([seed, { stage }]) => `; seed ${seed}: ${stage?.describe() ?? 'prepares'}`);
    return `${id}: ${done}/${this.seeds} seeds${broken}${seeds.join('')}`;
  }

  /** Whether nothing more will happen in the cell. */
  isDone(id: string): boolean {
    const { done, failed } = this.#cell(id);
    return done + failed === this.seeds;
  }

  /** "7 of 9 runs, 3 min 02 s, about 1 min 10 s left": assumes that the other runs take as long as those that ended. */
  summary(now: number): string {
    const total = this.cells.length * this.seeds;
    const done = this.#found + this.#ended;
    const text = `${done} of ${total} runs, ${formatSeconds((now - this.startedAt) / 1000)}`;
    if (this.#ended === 0 || done === total) return text;
    return `${text}, about ${formatSeconds(((this.#seconds / this.#ended) * (total - done)) / this.workers)} left`;
  }

  #cell(id: string): CellProgress {
    const cell = this.#cells.get(id);
    if (cell === undefined) throw new Error(`the grid has no cell ${id}`);
    return cell;
  }

  #endRun(cell: CellProgress, seed: number, status: string, now: number): void {
    const run = cell.active.get(seed);
    cell.active.delete(seed);
    // An interrupted run is neither completed nor failed: it can resume later.
    if (status !== 'completed' && status !== 'failed') return;
    this.#ended += 1;
    this.#seconds += (now - (run?.startedAt ?? now)) / 1000;
    if (status === 'completed') cell.done += 1;
    else cell.failed += 1;
  }

  #takeRunEvent(cell: CellProgress, seed: number, event: RunEvent, now: number): void {
    const run = cell.active.get(seed);
    if (run === undefined) return;
    if (event.type === 'stage-started') run.stage = new StageProgress(event.stage, event.steps, event.done, now);
    else if (event.type === 'step' || event.type === 'evaluation') run.stage?.take(event, now);
  }
}
