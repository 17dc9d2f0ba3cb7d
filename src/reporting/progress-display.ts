import type { RunEvent } from '../contracts/events.js';

/** Whoever shows how a run goes. */
export interface ProgressDisplay {
  event(event: RunEvent): void;
  /** Leaves the terminal in order; `failed` marks what was going on. To be called once, whatever happened. */
  close(outcome: 'ended' | 'failed'): Promise<void>;
}
