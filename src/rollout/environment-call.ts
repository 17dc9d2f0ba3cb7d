import type { Draw } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';
import type { CallSignals } from './call-signals.js';

/** What a call into a world is handed. Its signal is made only where somebody asks for it: most games never do. */
export class EnvironmentCall implements Draw {
  readonly #signals: CallSignals;
  readonly #interrupt: AbortSignal;
  readonly #random: Random | undefined;
  #controller: AbortController | undefined;
  #expired: unknown;

  /** @param interrupt aborts the call, too */
  constructor(signals: CallSignals, interrupt: AbortSignal, random?: Random) {
    this.#signals = signals;
    this.#interrupt = interrupt;
    this.#random = random;
  }

  get random(): Random {
    if (this.#random === undefined) throw new Error('this call has no random numbers: only reset and act have');
    return this.#random;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = this.#signals.begin(this.#interrupt);
      if (this.#expired !== undefined) this.#controller.abort(this.#expired);
    }
    return this.#controller.signal;
  }

  /** The time of the call is up, or nobody waits for it any more. */
  abort(reason: unknown): void {
    this.#expired = reason;
    this.#controller?.abort(reason);
  }

  /** The call is over. */
  end(): void {
    if (this.#controller !== undefined) this.#signals.end(this.#interrupt, this.#controller);
  }
}
