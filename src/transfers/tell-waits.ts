import type { HostFetch } from '../contracts/wire.js';
import { longestWaitSeconds } from './retry-after.js';

/** A shorter wait is nothing that a user must know. */
const toldSeconds = 10;
const busyStatus = [408, 425, 429, 500, 502, 503, 504];

/** A fetch that says when a server asks for a long wait: once in a while, because many requests may wait together. */
export function tellWaits(fetch: HostFetch, tell: (message: string) => void): HostFetch {
  let last = -Infinity;
  return async (input, init, limits) => {
    const response = await fetch(input, init, limits);
    const seconds = Number(response.headers.get('retry-after') ?? 0);
    const isNews = performance.now() - last >= 1000 * longestWaitSeconds;
    if (isNews && seconds >= toldSeconds && busyStatus.includes(response.status)) {
      last = performance.now();
      const capped = seconds === longestWaitSeconds ? ' or longer' : '';
      tell(
        `${new URL(response.url).host} is busy (status ${response.status}), and asks to wait ${Math.round(seconds)} s${capped}. A request waits at most ${longestWaitSeconds} s before it is repeated.`,
      );
    }
    return response;
  };
}
