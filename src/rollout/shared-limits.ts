// Limits that all episodes of a run share. They live in the main thread; threads ask for them by messages.
import type { Call } from '../contracts/environment.js';
import type { SharedLimitOptions } from '../contracts/host.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { EnvironmentCall } from './environment-call.js';

const minute = 60_000;

interface Waiter {
  readonly grant: () => void;
}

/** One limit: whoever asked first goes first. */
class Limiter {
  readonly #waiters = new Set<Waiter>();
  /** When turns of the last minute began. */
  readonly #begun: number[] = [];
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(readonly options: SharedLimitOptions) {}

  /** Waits for a turn. @returns a function that ends it; calling it again does nothing */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        this.#waiters.delete(waiter);
        reject(signal.reason as Error);
      };
      const grant = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const waiter: Waiter = { grant };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', abort, { once: true });
      this.#serve();
    });
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#taken -= 1;
      this.#serve();
    };
  }

  #serve(): void {
    const { atOnce = Infinity, perMinute = Infinity } = this.options;
    for (const waiter of this.#waiters) {
      const now = performance.now();
      while (this.#begun.length > 0 && now - this.#begun[0]! >= minute) this.#begun.shift();
      if (this.#taken >= atOnce) return;
      if (this.#begun.length >= perMinute) return this.#serveLater(this.#begun[0]! + minute - now);
      this.#taken += 1;
      if (perMinute < Infinity) this.#begun.push(now);
      this.#waiters.delete(waiter);
      waiter.grant();
    }
  }

  #serveLater(milliseconds: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#serve();
    }, milliseconds);
  }
}

/** All limits of a run, by name. */
export class SharedLimits {
  readonly #limiters = new Map<string, Limiter>();

  /**
   * Waits for a turn.
   *
   * @returns a function that ends it
   * @throws the signal's reason; AG_PLUGIN_FAILED if the limit has other numbers elsewhere
   */
  take(name: string, options: SharedLimitOptions, signal: AbortSignal): Promise<() => void> {
    const limiter = this.#limiters.get(name) ?? new Limiter(options);
    this.#limiters.set(name, limiter);
    const { atOnce, perMinute } = limiter.options;
    if (atOnce === options.atOnce && perMinute === options.perMinute) return limiter.take(signal);
    throw new AgentgymError('AG_PLUGIN_FAILED', {
      message: `The limit ${name} has different numbers in two places: ${JSON.stringify(limiter.options)} and ${JSON.stringify(options)}.`,
    });
  }
}

/** Takes a turn of a limit. */
export type TakeLimit = SharedLimits['take'];

export function takeFrom(limits: SharedLimits): TakeLimit {
  return (name, options, signal) => limits.take(name, options, signal);
}

/** The deadline of a call does not run while it waits for its turn. */
export function waitForTurn<T>(call: Call, turn: Promise<T>): Promise<T> {
  return call instanceof EnvironmentCall ? call.waitFor(turn) : turn;
}
