import type { Awaitable } from './environment.js';
import type { RunEvent } from './events.js';
import type { JsonObject } from './json.js';
import type { Episode } from './trajectory.js';

/** One line of `metrics.jsonl`: scalars by name (`train/...`, `rollout/...`, `eval/...`, `time/...`, `cost/...`). */
export interface MetricsLine {
  readonly stage: string;
  /** Number of finished steps of this stage, from 1; 0 before the first. */
  readonly step: number;
  readonly metrics: { readonly [name: string]: number };
}

/**
 * Where training writes its results: the run's folder in a real run, arrays in a test. Lines are written in the order
 * of the calls.
 *
 * @example
 * ```ts
 * // memory-journal.ts
 * import type { Journal, MetricsLine } from '@agentgym/cli';
 *
 * // Keeps the numbers, and forgets the rest.
 * export class MemoryJournal implements Journal {
 *   readonly lines: MetricsLine[] = [];
 *
 *   metrics(line: MetricsLine): void {
 *     this.lines.push(line);
 *   }
 *   episodes(): void {}
 *   checkpoint(): void {}
 *   event(): void {}
 * }
 * ```
 */
export interface Journal {
  metrics(line: MetricsLine): Awaitable<void>;
  /** Writes these episodes; the caller has already selected them. */
  episodes(stage: string, step: number, episodes: readonly Episode[]): Awaitable<void>;
  /**
   * Called after every step with the data that resuming the stage needs besides the policy's own weights. The journal
   * decides when to write a checkpoint; with `force` it always writes one (end of a stage, interruption).
   */
  checkpoint(stage: string, step: number, progress: JsonObject, force: boolean): Awaitable<void>;
  /** Passes an event to progress displays; nothing is saved. */
  event(event: RunEvent): void;
}
