import type { HostFetch } from '../contracts/wire.js';
import { longestWaitSeconds, readRetryAfter } from './retry-after.js';
import { hostOf, isBusy } from './transfer-errors.js';

/** A shorter wait is nothing that a user must know. */
const toldSeconds = 10;

/** Hears the head of each answer. */
export type AnswerListener = (answer: Pick<Response, 'headers' | 'status' | 'url'>) => void;

/** Says when a server asks for a long wait: once in a while, because many requests may wait together. */
export function waitTeller(tell: (message: string) => void): AnswerListener {
  let last = -Infinity;
  return ({ headers, status, url }) => {
    const seconds = readRetryAfter(headers) ?? 0;
    const isNews = performance.now() - last >= 1000 * longestWaitSeconds;
    if (!isNews || seconds < toldSeconds || !isBusy(status)) return;
    last = performance.now();
    const capped = seconds === longestWaitSeconds ? ' or longer' : '';
    tell(
      `${hostOf(url)} is busy (status ${status}), and asks to wait ${Math.round(seconds)} s${capped}. A request waits at most ${longestWaitSeconds} s before it is repeated.`,
    );
  };
}

/** A fetch that says when a server asks for a long wait. */
export function tellWaits(fetch: HostFetch, tell: (message: string) => void): HostFetch {
  const hear = waitTeller(tell);
  return async (input, init, limits) => {
    const response = await fetch(input, init, limits);
    hear(response);
    return response;
  };
}
