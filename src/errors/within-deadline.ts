import { afterResponsiveTime, responsiveTime } from './responsive-time.js';

/** Waiting took longer than allowed. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

export interface DeadlineOptions<T> {
  /** Handles an answer after its deadline: the caller is gone, and its resources need an owner. */
  readonly late?: (value: Awaited<T>) => void;
  /**
   * Receives the milliseconds that the work took, even if it failed. Time in which this thread was busy elsewhere is
   * left out.
   */
  readonly took?: (milliseconds: number) => void;
  /** Milliseconds so far in which the work waited for its turn. They count neither as its time nor towards its deadline. */
  readonly waited?: () => number;
}

/**
 * Waits for `work` at most this long, then rejects with a DeadlineError. Time in which this thread could not have
 * received an answer does not count.
 *
 * @param milliseconds Infinity waits without a limit
 */
export async function withinDeadline<T>(
  what: string,
  milliseconds: number,
  work: () => T | PromiseLike<T>,
  options: DeadlineOptions<T> = {},
): Promise<Awaited<T>> {
  return atOnceOrWithinDeadline(what, milliseconds, work, options);
}

/**
 * Like `withinDeadline`, but work that returns no promise needs no timer: its value is returned and its error thrown at
 * once. Such work cannot be interrupted.
 *
 * @param milliseconds a function is asked after the work has begun
 */
export function atOnceOrWithinDeadline<T>(
  what: string,
  milliseconds: number | (() => number),
  work: () => T | PromiseLike<T>,
  options: DeadlineOptions<T> = {},
): Awaited<T> | Promise<Awaited<T>> {
  const { took } = options;
  const start = performance.now();
  let result: T | PromiseLike<T>;
  try {
    result = work();
  } catch (error) {
    took?.(performance.now() - start);
    throw error;
  }
  const blocked = performance.now() - start;
  if (!isPromiseLike(result)) {
    took?.(blocked);
    return result as Awaited<T>;
  }
  const limit = typeof milliseconds === 'number' ? milliseconds : milliseconds();
  return awaitWithin(what, limit, result, blocked, options);
}

/** @param blocked milliseconds that the work already took */
async function awaitWithin<T>(
  what: string,
  milliseconds: number,
  result: PromiseLike<T>,
  blocked: number,
  { late, took, waited = () => 0 }: DeadlineOptions<T>,
): Promise<Awaited<T>> {
  let expire!: () => void;
  let cancel!: () => void;
  let excused = 0;
  const deadline = new Promise<never>((_, reject) => {
    expire = () => {
      cancel();
      const longer = waited() - excused;
      excused += longer;
      if (longer > 0) cancel = afterResponsiveTime(longer, expire);
      else reject(new DeadlineError(`${what} took longer than ${milliseconds / 1000} s`));
    };
  });
  cancel = afterResponsiveTime(milliseconds, expire);
  const begun = responsiveTime();
  let isLate = false;
  const answer = Promise.resolve(result);
  if (late !== undefined) {
    answer.then(
      (value) => (isLate ? late(value) : undefined),
      () => undefined,
    );
  }
  try {
    return await Promise.race([answer, deadline]);
  } catch (error) {
    isLate = error instanceof DeadlineError;
    throw error;
  } finally {
    took?.(blocked + Math.max(0, responsiveTime() - begun - waited()));
    cancel();
  }
}

export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
