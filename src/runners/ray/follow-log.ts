import { setTimeout as sleep } from 'node:timers/promises';

import type { TrainOutcome } from '../runner.js';
import { endOf, type Ended, hasEnded } from './ended-job.js';
import type { RayClient, RayJob } from './ray-client.js';

/** Milliseconds between two looks at a job that has no output to follow. */
const lookMilliseconds = 1000;

/** Takes the output of a job, in parts. */
export interface OutputReader {
  /** The next part begins at the beginning of the output. */
  restart(): void;
  /** Returns the outcome once the job has told it. */
  read(part: string): Promise<TrainOutcome | undefined>;
}

/** Follows a job that tells on its output what it does. */
export async function followLog(
  client: RayClient,
  id: string,
  reader: OutputReader,
  signal: AbortSignal,
): Promise<Ended> {
  let last: RayJob | undefined;
  for (;;) {
    for await (const part of client.tail(id, signal)) {
      const outcome = await reader.read(part);
      if (outcome !== undefined) return { outcome };
    }
    reader.restart();
    if (last !== undefined) return endOf(last);
    const job = await client.job(id, signal);
    if (job === undefined) return endOf(job);
    // The connection may have ended before the output did, so the output of a job that has ended is read once more.
    if (hasEnded(job)) last = job;
    else await sleep(lookMilliseconds);
  }
}
