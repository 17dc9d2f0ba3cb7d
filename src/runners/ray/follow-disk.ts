import { setTimeout as sleep } from 'node:timers/promises';

import type { RunEvent } from '../../contracts/events.js';
import { DiskReportReader } from '../disk-report.js';
import { endOf, type Ended, hasEnded } from './ended-job.js';
import type { RayClient } from './ray-client.js';

/** Milliseconds between two looks at the job and its folder. */
const lookMilliseconds = 1000;
/** Looks at the folder of a job that ended well, until its outcome must be seen: network disks show files late. */
const lateLooks = 30;

/**
 * Follows a job that tells in its folder, on a shared disk, what it does.
 *
 * @param folder the job's folder
 */
export async function followDisk(
  client: RayClient,
  id: string,
  folder: string,
  listener: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<Ended> {
  const reader = new DiskReportReader(folder);
  for (let late = 0; ; await sleep(lookMilliseconds)) {
    // The job is asked before its folder is read: all that an ended job told is there.
    const job = await client.job(id, signal);
    for await (const event of reader.events()) listener(event);
    const outcome = await reader.outcome();
    if (outcome !== undefined) return { outcome };
    if (job === undefined) return endOf(job);
    if (!hasEnded(job)) continue;
    late += 1;
    if (job.status !== 'SUCCEEDED' || late > lateLooks) return endOf(job);
  }
}
