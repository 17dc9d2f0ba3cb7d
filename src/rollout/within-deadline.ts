import type { Awaitable } from '../contracts/environment.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** Waiting took longer than allowed. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** setTimeout takes no more. */
const longest = 2 ** 31 - 1;

/**
 * Waits for `work` at most so long, then rejects with a DeadlineError; what the work does later is ignored. Work that answers at once
 * costs no timer. Synchronous work cannot be interrupted.
 *
 * @param milliseconds Infinity waits for ever
 */
export async function withinDeadline<T>(
  what: string,
  milliseconds: number,
  work: () => Awaitable<T>,
): Promise<Awaited<T>> {
  const result = work();
  if (!isPromiseLike(result)) return result as Awaited<T>;
  if (milliseconds > longest) return await result;
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new DeadlineError(`${what} took longer than ${milliseconds / 1000} s`)),
      milliseconds,
    );
  });
  try {
    return await Promise.race([result, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for `work`, or rejects with AG_INTERRUPTED as soon as the signal is aborted. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(interruption());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
    // The loser of the race may still fail, with nobody to hear it.
    work.catch(() => undefined);
  }
}

function interruption(): AgentgymError {
  return new AgentgymError('AG_INTERRUPTED', { message: 'Interrupted.' });
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
