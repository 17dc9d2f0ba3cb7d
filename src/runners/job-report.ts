import type { RunEvent } from '../contracts/events.js';
import type { TrainOutcome } from './runner.js';

/** Characters of the longest line that is read of a job. Frames and events are shorter. */
export const longestLine = 1 << 20;

/** What a job tells the machine that submitted it. */
export interface JobReport {
  event(event: RunEvent): void;
  /**
   * The run's folder is this.
   *
   * @param known a folder with what the other machine has of the run; it may be missing
   */
  follow(folder: string, known: string): void;
  /** Tells what has changed in the run's folder. */
  sync(): void;
  /** Tells everything that is left, and how the run ended. */
  end(outcome: TrainOutcome): Promise<void>;
}
