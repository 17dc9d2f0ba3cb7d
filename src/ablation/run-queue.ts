import type { CellRun } from './ablation-directory.js';

export interface MissingRun {
  readonly run: CellRun;
  readonly resume: boolean;
}

/** Runs in their order. A run waits while another one trains the stages that it will read. */
export class RunQueue {
  readonly #training = new Map<string, CellRun>();
  #waiting: (() => void)[] = [];

  constructor(
    readonly missing: MissingRun[],
    readonly signal: AbortSignal,
  ) {}

  /** Returns undefined if no run is left, or once the signal is aborted. */
  async next(): Promise<MissingRun | undefined> {
    while (!this.signal.aborted) {
      const place = this.missing.findIndex(({ run }) => !this.#training.has(run.sharedStages ?? ''));
      const [next] = place < 0 ? [] : this.missing.splice(place, 1);
      if (next !== undefined || this.missing.length === 0) {
        const shared = next?.run.sharedStages;
        if (next !== undefined && shared !== undefined) this.#training.set(shared, next.run);
        return next;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return undefined;
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
