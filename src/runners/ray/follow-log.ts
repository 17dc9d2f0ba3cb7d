import { setTimeout as sleep } from 'node:timers/promises';

import type { NumberedFrame } from '../frames/frame.js';
import { FrameReader } from '../frames/frame-reader.js';
import type { TrainOutcome } from '../runner.js';
import { endOf, type Ended, hasEnded } from './ended-job.js';
import type { JobRecord } from './job-record.js';
import type { RayClient, RayJob } from './ray-client.js';

/** Milliseconds between two looks at a job that has no output to follow. */
const lookMilliseconds = 1000;

/**
 * Follows a job that tells on its output what it does.
 *
 * @param take takes a frame, and returns the outcome once the job has told it
 */
export async function followLog(
  client: RayClient,
  { id, key }: JobRecord,
  take: (frame: NumberedFrame) => Promise<TrainOutcome | undefined>,
  signal: AbortSignal,
): Promise<Ended> {
  const frames = new FrameReader(key);
  let last: RayJob | undefined;
  for (;;) {
    for await (const part of client.tail(id, signal)) {
      for (const frame of frames.read(part)) {
        const outcome = await take(frame);
        if (outcome !== undefined) return { outcome };
      }
    }
    frames.restart();
    if (last !== undefined) return endOf(last);
    const job = await client.job(id, signal);
    if (job === undefined) return endOf(job);
    // The connection may have ended before the output did, so the output of a job that has ended is read once more.
    if (hasEnded(job)) last = job;
    else await sleep(lookMilliseconds);
  }
}
