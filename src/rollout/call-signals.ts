/**
 * Signals of concurrent calls that all end with one signal. That signal has a single listener for any number of calls,
 * because Node warns about more than ten.
 */
export class CallSignals {
  readonly #running = new Map<AbortSignal, { readonly calls: Set<AbortController>; readonly interrupt: () => void }>();

  /** Begins a call; `end` ends it. */
  begin(signal: AbortSignal): AbortController {
    const call = new AbortController();
    if (signal.aborted) call.abort(signal.reason);
    let running = this.#running.get(signal);
    if (running === undefined) {
      const calls = new Set<AbortController>();
      const interrupt = (): void => calls.forEach((one) => one.abort(signal.reason));
      running = { calls, interrupt };
      this.#running.set(signal, running);
      signal.addEventListener('abort', interrupt, { once: true });
    }
    running.calls.add(call);
    return call;
  }

  end(signal: AbortSignal, call: AbortController): void {
    const running = this.#running.get(signal);
    if (running?.calls.delete(call) !== true || running.calls.size > 0) return;
    signal.removeEventListener('abort', running.interrupt);
    this.#running.delete(signal);
  }
}
