import type { Random } from './random.js';

/** A plugin's line to the user: standard error, or the run's log. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
}

/** What a plugin is handed. A plugin imports types only; all it needs at run time is in here. */
export interface Host {
  /** A stream of its own. */
  readonly random: Random;
  readonly log: Log;
  /** Aborted when the user interrupts; long work should listen. */
  readonly signal: AbortSignal;
  /** A folder that outlives the process, for downloads and compiled things; created on first use by whoever writes there. */
  readonly cacheDirectory: string;
}
