import { type NumberedFrame, parseFrame } from './frame.js';

/** Finds the frames in the output of a job, which arrives in parts that may break a line. Each frame is returned once. */
export class FrameReader {
  #rest = '';
  #next = 0;

  /** The next text begins at the beginning of the output. */
  restart(): void {
    this.#rest = '';
  }

  *read(part: string): Generator<NumberedFrame> {
    const lines = (this.#rest + part).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const frame = parseFrame(line);
      if (frame === undefined || frame.seq < this.#next) continue;
      this.#next = frame.seq + 1;
      yield frame;
    }
  }
}
