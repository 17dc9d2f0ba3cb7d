import type { ResetCall } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';
import type { Sandbox } from '../contracts/sandbox.js';
import type { CallSignals } from './call-signals.js';

/** The argument of a call into a world. Its signal is created only on demand, because most games never use it. */
export class EnvironmentCall implements ResetCall {
  readonly #signals: CallSignals;
  readonly #interrupt: AbortSignal;
  readonly #random: Random | undefined;
  readonly sandbox?: Sandbox;
  #controller: AbortController | undefined;
  #expired: unknown;
  #milliseconds: number | undefined;
  #waited = 0;
  #waitsSince: number | undefined;

  /** @param interrupt also aborts the call */
  constructor(signals: CallSignals, interrupt: AbortSignal, random?: Random, sandbox?: Sandbox) {
    if (sandbox !== undefined) this.sandbox = sandbox;
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

  /**
   * The callee keeps the deadline and measures the time, because the call may have to wait for others.
   *
   * @returns a function that adds milliseconds that the call took
   */
  handOver(): (milliseconds: number) => void {
    this.#milliseconds = 0;
    return (milliseconds) => void (this.#milliseconds! += milliseconds);
  }

  /** The measured time of a call that was handed over; undefined for any other. */
  get milliseconds(): number | undefined {
    return this.#milliseconds;
  }

  /** Waits for something that other calls have. The deadline does not run meanwhile. */
  async waitFor<T>(what: Promise<T>): Promise<T> {
    this.#waitsSince = performance.now();
    try {
      return await what;
    } finally {
      this.#waited += performance.now() - this.#waitsSince;
      this.#waitsSince = undefined;
    }
  }

  /** Milliseconds that the call has waited for others so far. */
  get waited(): number {
    return this.#waited + (this.#waitsSince === undefined ? 0 : performance.now() - this.#waitsSince);
  }

  /** Aborts the call after its time is up, or when no caller waits for it any more. */
  abort(reason: unknown): void {
    this.#expired = reason;
    this.#controller?.abort(reason);
  }

  /** Ends the call. */
  end(): void {
    if (this.#controller !== undefined) this.#signals.end(this.#interrupt, this.#controller);
  }
}
