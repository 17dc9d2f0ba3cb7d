import type { Awaitable } from '../contracts/environment.js';
import { isPromiseLike } from '../errors/within-deadline.js';

/** Continues with a value: at once if it is there, so that synchronous environments need no timers. */
export function whenAnswered<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromiseLike(value) ? Promise.resolve(value).then(next) : next(value);
}
