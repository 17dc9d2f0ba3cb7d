import { setTimeout as sleep } from 'node:timers/promises';

/** A failure that may pass: a cut connection, a busy server. */
export class PassingFailure extends Error {
  /**
   * @param waitSeconds how long the server asked to wait, at most a minute
   * @param hasProgressed the next attempt begins with more than any attempt before
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
/** Attempts of which each makes some progress. A server may progress by a byte at a time. */
const mostAttempts = 200;

/**
 * Repeats work that throws a `PassingFailure`, with growing waits, until it fails five times in a row without progress, or
 * was attempted 200 times. Then it throws the last failure. Other errors pass through.
 */
export async function withRetries<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  for (let [attempts, failures] = [1, 0]; ; attempts += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PassingFailure)) throw error;
      failures = error.hasProgressed ? 0 : failures + 1;
      if (failures >= mostFailures || attempts >= mostAttempts) throw error;
      await sleep(1000 * (error.waitSeconds ?? 2 ** failures / 4), undefined, { signal });
    }
  }
}
