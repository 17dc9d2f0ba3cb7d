import type { RunMetricsLine } from '../files/metrics-log.js';
import type { RunManifest } from '../runs/run-manifest.js';

/**
 * Gives each metrics line the time when it was written, in milliseconds since 1970. Lines have only the seconds worked
 * on the run (`time/run_seconds`), so the beginning of their session is added; pauses between sessions count. The time
 * that a session needed to load the policy is missing. The same files give the same times, so a point that is sent
 * twice is the same point.
 */
export class LineClock {
  readonly #sessions: readonly { readonly startedAt: number; readonly fromStep: number }[];
  /** Seconds worked before each session, as far as lines have been read. */
  readonly #before: number[] = [];
  #last = 0;

  constructor({ sessions }: Pick<RunManifest, 'sessions'>) {
    this.#sessions = sessions.map(({ startedAt, fromStep }) => ({ startedAt: Date.parse(startedAt), fromStep }));
  }

  /** Lines must come in the order of the file, from its first one. */
  timeOf({ runStep, metrics }: RunMetricsLine): number {
    // Of sessions that continued from one step, only the last has written lines after it.
    const index = Math.max(
      0,
      this.#sessions.findLastIndex(({ fromStep }) => fromStep < runStep),
    );
    const seconds = metrics['time/run_seconds'] ?? this.#last;
    const before = (this.#before[index] ??= index === 0 ? 0 : this.#last);
    this.#last = seconds;
    return (this.#sessions[index]?.startedAt ?? 0) + 1000 * Math.max(0, seconds - before);
  }
}
