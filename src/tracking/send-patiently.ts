import { setTimeout as sleep } from 'node:timers/promises';

import { TrackingFailure } from './mlflow-client.js';
import type { Tracked } from './tracked-run.js';

const longestWaitSeconds = 60;
/** With their waits, the attempts take about 8 seconds if a server is simply not there. */
const mostAttempts = 5;

/**
 * Sends what a server lacks, and tries again after failures that may pass. Throws the last failure, and other errors at
 * once.
 */
export async function sendPatiently(subject: Tracked, signal: AbortSignal): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await subject.send(signal);
    } catch (error) {
      const mayPass = error instanceof TrackingFailure && error.passesAlone;
      if (signal.aborted || failures >= mostAttempts || !mayPass) throw error;
      await pause(waitAfter(error, failures), signal);
    }
  }
}

/** Seconds before the next attempt: what the server asks for, or twice as long after each failure. */
export function waitAfter(error: unknown, failures: number): number {
  const asked = error instanceof TrackingFailure ? error.waitSeconds : undefined;
  return Math.min(asked ?? 2 ** failures / 4, longestWaitSeconds);
}

/** Waits, or returns at once when the signal is aborted. */
export async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  await sleep(1000 * seconds, undefined, { signal }).catch(() => undefined);
}
