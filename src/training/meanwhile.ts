/**
 * Runs `work` on this thread while a promise is pending, such as a call of a model, which computes on other threads.
 * If `work` throws, its error is thrown once the promise has settled.
 */
export async function meanwhile<Answer, Done>(
  pending: Promise<Answer>,
  work: () => Done,
): Promise<readonly [Answer, Done]> {
  let done: Done;
  try {
    done = work();
  } catch (error) {
    await pending.catch(() => undefined);
    throw error;
  }
  return [await pending, done];
}
