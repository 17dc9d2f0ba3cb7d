import type { WireLimits } from '../contracts/wire.js';
import { WireFailure } from './wire-failure.js';

const defaultSeconds = 60;
/** Longest time of a timer in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Both limits of time of one request. */
export class WireClock {
  readonly #ending = new AbortController();
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(host: string, { totalSeconds = defaultSeconds, stallSeconds = totalSeconds }: WireLimits) {
    const after = (seconds: number, message: string) =>
      setTimeout(() => this.stop(new WireFailure('late', message)), Math.min(longestTimer, 1000 * seconds));
    this.#timers = [
      after(totalSeconds, `${host} gave no whole answer in ${totalSeconds} s`),
      ...(stallSeconds < totalSeconds ? [after(stallSeconds, `${host} sent nothing for ${stallSeconds} s`)] : []),
    ];
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** A byte came. */
  tick(): void {
    if (!this.#ending.signal.aborted) this.#timers[1]?.refresh();
  }

  stop(reason: unknown): void {
    this.end();
    this.#ending.abort(reason);
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
