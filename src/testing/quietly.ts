import type { Awaitable } from '../contracts/environment.js';

/** Frees something. A check of its own reports what that throws. */
export async function quietly(free: () => Awaitable<void>): Promise<void> {
  await Promise.resolve()
    .then(free)
    .catch(() => undefined);
}
