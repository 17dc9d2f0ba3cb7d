import * as v from 'valibot';

import { outcomeSchema } from '../outcome-schema.js';
import { isFramePath } from './frame-path.js';

/** Bytes of a piece of a file before it is deflated. Its line stays far below what log viewers cut. */
export const longestPiece = 48 * 1024;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const seq = count;

/**
 * What a job tells. A state of the run's folder arrives as files, and a `commit` that says how many of them there were.
 * After a `file` come its pieces, in order. Frames are numbered from 0, so that a reader who begins again skips what it
 * has, and notices what is missing.
 */
export const frameSchema = v.variant('type', [
  v.object({ type: v.literal('hello'), seq, agentgym: v.string(), node: v.string() }),
  v.object({ type: v.literal('event'), seq, event: v.unknown() }),
  /**
   * A file by its path in the run's folder. Its first `from` bytes are those that have arrived before; pieces bring the
   * others. `bytes` and `sha256`, in hexadecimal, are of the whole file.
   */
  v.object({
    type: v.literal('file'),
    seq,
    path: v.pipe(v.string(), v.check(isFramePath)),
    from: count,
    bytes: count,
    sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  }),
  /** The next bytes of the file: deflated, in base64, and their number before that. */
  v.object({
    type: v.literal('piece'),
    seq,
    bytes: v.pipe(count, v.minValue(1), v.maxValue(longestPiece)),
    data: v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]*={0,2}$/)),
  }),
  v.object({ type: v.literal('commit'), seq, files: count }),
  v.object({ type: v.literal('end'), seq, outcome: outcomeSchema }),
]);
