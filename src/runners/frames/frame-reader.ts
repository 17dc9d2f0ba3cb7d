import { BoundedLines } from '../../processes/bounded-lines.js';
import { longestLine } from '../job-report.js';
import { type NumberedFrame, readFrame } from './frame.js';
import { RefusedFrame } from './refused-frame.js';

/** Finds the frames in the output of a job, which arrives in parts that may break a line. Each frame is returned once. */
export class FrameReader {
  readonly #lines = new BoundedLines(longestLine);
  #next = 0;

  /** @param key the key of the job; other lines are no frames of it */
  constructor(private readonly key: string) {}

  /** The next text begins at the beginning of the output. */
  restart(): void {
    this.#lines.restart();
  }

  /** @throws RefusedFrame for a frame that is invalid, or does not follow the one before */
  *read(part: string): Generator<NumberedFrame> {
    for (const line of this.#lines.read(part)) {
      const frame = readFrame(line, this.key);
      if (frame === undefined || frame.seq < this.#next) continue;
      if (frame.seq > this.#next) throw new RefusedFrame(`frame ${this.#next} is missing before frame ${frame.seq}`);
      this.#next = frame.seq + 1;
      yield frame;
    }
  }
}
