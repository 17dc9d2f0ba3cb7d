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
  work: () => T | PromiseLike<T>,
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

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
