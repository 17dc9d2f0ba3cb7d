import { messageOf } from '../errors/message-of.js';

/** A listener of a polled value. */
export interface Listener<Value> {
  update(value: Value): void;
  /** The value could not be read; the last sent value is still the newest. */
  problem(error: unknown): void;
}

/** Reads take at most this share of the time, so slow reads are less frequent. */
const largestShare = 0.1;

/**
 * A value on disk that is read repeatedly while there are listeners, once for all of them. It is polled, because file
 * systems report changes in too many ways. `read` returns the identical value if nothing changed. `rest` is called
 * after the last listener has left.
 */
export class Followed<Value> {
  readonly #listeners = new Set<Listener<Value>>();
  readonly #options: {
    readonly every: number;
    read(): Promise<Value>;
    rest?(): void;
  };
  #timer: NodeJS.Timeout | undefined;
  #last: { readonly value: Value } | undefined;
  #problem: string | undefined;
  /** Counts the starts, so that a read that ends after `rest` is ignored. */
  #round = 0;

  constructor(options: { readonly every: number; read(): Promise<Value>; rest?(): void }) {
    this.#options = options;
  }

  /** The listener gets the known value immediately. Returns a function that removes the listener. */
  listen(listener: Listener<Value>): () => void {
    // A set contains an object only once, but two tabs are two listeners.
    const own: Listener<Value> = {
      update: (value) => listener.update(value),
      problem: (error) => listener.problem(error),
    };
    this.#listeners.add(own);
    if (this.#last !== undefined) own.update(this.#last.value);
    if (this.#listeners.size === 1) void this.#look(++this.#round);
    return () => {
      if (!this.#listeners.delete(own) || this.#listeners.size > 0) return;
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
