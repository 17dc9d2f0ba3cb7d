// A job on a cluster tells what it does on its standard output, which is all that every scheduler brings back. A frame is
// one line; other lines are the log of the job.
import type { RunEvent } from '../../contracts/events.js';
import type { TrainOutcome } from '../runner.js';

/**
 * What a job tells. Files arrive in pieces. `commit` says that all pieces of a state of the folder have arrived, and
 * which files it has.
 */
export type Frame =
  | { readonly type: 'hello'; readonly agentgym: string; readonly node: string }
  | { readonly type: 'event'; readonly event: RunEvent }
  /** A piece of a file, by its path in the run's folder: deflated bytes in base64. The file ends after its last piece. */
  | { readonly type: 'piece'; readonly path: string; readonly offset: number; readonly data: string }
  | { readonly type: 'commit'; readonly files: readonly string[] }
  | { readonly type: 'end'; readonly outcome: TrainOutcome };

/** Frames are numbered from 0, so that a reader who begins again skips what it has. */
export type NumberedFrame = Frame & { readonly seq: number };

const MARK = '@agentgym-frame ';

export function frameLine(frame: NumberedFrame): string {
  return `${MARK}${JSON.stringify(frame)}\n`;
}

/** Undefined if the line is no frame, or was cut. */
export function parseFrame(line: string): NumberedFrame | undefined {
  // Other output of the job may stand before the mark, if it ended without a line break.
  const start = line.indexOf(MARK);
  if (start < 0) return undefined;
  try {
    return JSON.parse(line.slice(start + MARK.length)) as NumberedFrame;
  } catch {
    return undefined;
  }
}
