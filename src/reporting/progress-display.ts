import type { RunEvent } from '../contracts/events.js';

/** Displays the progress of a run. */
export interface ProgressDisplay {
  event(event: RunEvent): void;
  /** Restores the terminal; `failed` marks the current work as failed. Call it once in every case. */
  close(outcome: 'ended' | 'failed'): Promise<void>;
}
