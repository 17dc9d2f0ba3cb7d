// Turns of shared limits in threads: the main thread has the limits.
import { setMaxListeners } from 'node:events';
import type { MessagePort } from 'node:worker_threads';

import type { TakeLimit } from '../shared-limits.js';
import { crossing, readError } from './crossing-error.js';
import type { CrossingError, FromThread, ToThread, TurnMessage } from './thread-messages.js';

/** The side of the thread: asks for turns over its port. */
export function turnsOverPort(port: MessagePort): TakeLimit {
  const asked = new Map<number, (error?: CrossingError) => void>();
  let last = 0;
  port.on('message', (message: ToThread) => {
    if ('turn' in message) asked.get(message.turn)?.(message.error);
  });
  const tell = (message: TurnMessage) => port.postMessage(message satisfies FromThread);
  return (limit, options, signal) => {
    signal.throwIfAborted();
    const take = ++last;
    return new Promise((resolve, reject) => {
      let isWanted = true;
      const end = () => tell({ endTurn: take });
      const abort = () => {
        isWanted = false;
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort, { once: true });
      asked.set(take, (error) => {
        asked.delete(take);
        signal.removeEventListener('abort', abort);
        if (error !== undefined) reject(readError(error));
        else if (isWanted) resolve(end);
        else end();
      });
      tell({ take, limit, options });
    });
  };
}

/** The side of the main thread, for one thread. */
export class ThreadTurns {
  readonly #take: TakeLimit;
  readonly #answer: (message: ToThread) => void;
  readonly #over = new AbortController();
  readonly #held = new Map<number, () => void>();

  constructor(take: TakeLimit, answer: (message: ToThread) => void) {
    this.#take = take;
    this.#answer = answer;
    // As many listen to it as wait.
    setMaxListeners(0, this.#over.signal);
  }

  async hear(message: TurnMessage): Promise<void> {
    if ('endTurn' in message) {
      this.#held.get(message.endTurn)?.();
      this.#held.delete(message.endTurn);
      return;
    }
    const { take, limit, options } = message;
    try {
      const end = await this.#take(limit, options, this.#over.signal);
      if (this.#over.signal.aborted) return end();
      this.#held.set(take, end);
      this.#answer({ turn: take });
    } catch (error) {
      if (!this.#over.signal.aborted) this.#answer({ turn: take, error: crossing(error) });
    }
  }

  /** The thread has ended: gives back what it had. */
  end(): void {
    this.#over.abort();
    for (const end of this.#held.values()) end();
    this.#held.clear();
  }
}
