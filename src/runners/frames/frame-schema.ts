import * as v from 'valibot';

import { outcomeSchema } from '../outcome-schema.js';
import { isFramePath } from './frame-path.js';

/** Bytes of a piece of a file before it is deflated. Its line stays far below what log viewers cut. */
export const longestPiece = 48 * 1024;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const seq = count;

export const frameSchema = v.variant('type', [
  v.object({ type: v.literal('hello'), seq, agentgym: v.string(), node: v.string() }),
  v.object({ type: v.literal('event'), seq, event: v.unknown() }),
  v.object({
    type: v.literal('file'),
    seq,
    path: v.pipe(v.string(), v.check(isFramePath)),
    from: count,
    bytes: count,
    sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  }),
  v.object({
    type: v.literal('piece'),
    seq,
    bytes: v.pipe(count, v.minValue(1), v.maxValue(longestPiece)),
    data: v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]*={0,2}$/)),
  }),
  v.object({ type: v.literal('commit'), seq, files: count }),
  v.object({ type: v.literal('end'), seq, outcome: outcomeSchema }),
]);
