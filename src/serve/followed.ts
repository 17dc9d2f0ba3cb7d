import { messageOf } from '../errors/message-of.js';

/** A listener of a polled value. */
export interface Listener<Value> {
  update(value: Value): void;
  /** The value could not be read; the last sent value is still the newest. */
  problem(error: unknown): void;
}

/** Reads take at most this share of the time, so slow reads are less frequent. */
const largestShare = 0.1;

interface FollowedOptions<Value> {
  /** Milliseconds. */
  readonly every: number;
  /** Returns the identical value if nothing changed. */
  read(): Promise<Value>;
  /** Called after the last listener has left. */
  rest?(): void;
}

/**
 * A value on disk that is read repeatedly while there are listeners, once for all of them. It is polled, because file
 * systems report changes in too many ways.
 */
export class Followed<Value> {
  readonly #listeners = new Set<Listener<Value>>();
  readonly #options: FollowedOptions<Value>;
  #timer: NodeJS.Timeout | undefined;
  #last: { readonly value: Value } | undefined;
  #problem: string | undefined;
  /** Counts the starts, so that a read that ends after `rest` is ignored. */
  #round = 0;

  constructor(options: FollowedOptions<Value>) {
    this.#options = options;
  }

  /** The listener, one that does not listen yet, gets the known value immediately. Returns a function that removes the listener. */
  listen(listener: Listener<Value>): () => void {
    this.#listeners.add(listener);
    if (this.#last !== undefined) listener.update(this.#last.value);
    if (this.#listeners.size === 1) void this.#look(++this.#round);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      clearTimeout(this.#timer);
      this.#round += 1;
      this.#last = undefined;
      this.#problem = undefined;
      this.#options.rest?.();
    };
  }

  async #look(round: number): Promise<void> {
    const began = performance.now();
    try {
      const value = await this.#options.read();
      if (round !== this.#round) return;
      const isNew = this.#last?.value !== value || this.#problem !== undefined;
      this.#problem = undefined;
      this.#last = { value };
      if (isNew) for (const listener of [...this.#listeners]) listener.update(value);
    } catch (error) {
      if (round !== this.#round) return;
      const message = messageOf(error);
      const isNew = message !== this.#problem;
      this.#problem = message;
      if (isNew) for (const listener of [...this.#listeners]) listener.problem(error);
    }
    const took = performance.now() - began;
    const pause = Math.max(this.#options.every, took / largestShare);
    if (round === this.#round) this.#timer = setTimeout(() => void this.#look(round), pause);
  }
}
