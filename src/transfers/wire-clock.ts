import type { WireLimits } from '../contracts/wire.js';
import { FailedRequest } from './failed-request.js';

const defaultSeconds = 60;
/** Longest time of a timer in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** The limits of a request whose body is read as a stream. */
export interface StreamLimits extends WireLimits {
  /** Bytes that must come in `stallSeconds`; default: 1. So a body that drips is late, too. */
  readonly stallBytes?: number;
}

/** Both limits of time of one request. */
export class WireClock {
  readonly #ending = new AbortController();
  readonly #timers: readonly NodeJS.Timeout[];

  readonly #stallBytes: number;
  #bytes = 0;

  constructor(
    host: string,
    { totalSeconds = defaultSeconds, stallSeconds = totalSeconds, stallBytes = 1 }: StreamLimits,
  ) {
    this.#stallBytes = stallBytes;
    const after = (seconds: number, message: string) =>
      setTimeout(() => this.stop(new FailedRequest('late', message)), Math.min(longestTimer, 1000 * seconds));
    this.#timers = [
      after(totalSeconds, `${host} sent no complete answer in ${totalSeconds} s`),
      ...(stallSeconds < totalSeconds
        ? [after(stallSeconds, `${host} sent ${stallBytes > 1 ? 'almost ' : ''}nothing for ${stallSeconds} s`)]
        : []),
    ];
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Bytes came. */
  tick(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < this.#stallBytes || this.#ending.signal.aborted) return;
    this.#bytes = 0;
    this.#timers[1]?.refresh();
  }

  stop(reason: unknown): void {
    this.end();
    this.#ending.abort(reason);
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
