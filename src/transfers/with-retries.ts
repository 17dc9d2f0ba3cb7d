import { setTimeout as sleep } from 'node:timers/promises';

/** A failure that may pass: a cut connection, a busy server. */
export class PassingFailure extends Error {
  /**
   * @param waitSeconds how long the server asked to wait
   * @param hasProgressed some bytes came before the failure, so that the next attempt begins with less to do
   */
  constructor(
    message: string,
    readonly waitSeconds?: number,
    readonly hasProgressed = false,
  ) {
    super(message);
  }
}

const mostFailures = 5;
const longestWaitSeconds = 60;

/**
 * Repeats work that throws a `PassingFailure`, with growing waits, until it fails five times in a row without progress.
 * Then it throws the last failure. Other errors pass through.
 */
export async function withRetries<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  for (let failures = 0; ;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PassingFailure)) throw error;
      failures = error.hasProgressed ? 0 : failures + 1;
      if (failures >= mostFailures) throw error;
      const seconds = Math.min(error.waitSeconds ?? 2 ** failures / 4, longestWaitSeconds);
      await sleep(1000 * seconds, undefined, { signal });
    }
  }
}
