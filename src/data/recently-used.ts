/** Keeps what was asked for last. Promises that fail are forgotten, so that they are made again. */
export class RecentlyUsed<Key, Value> {
  readonly #kept = new Map<Key, Value>();
  readonly #most: number;

  /** @param most number of values */
  constructor(most: number) {
    this.#most = most;
  }

  get(key: Key, make: () => Value): Value {
    let value = this.#kept.get(key);
    if (value === undefined) {
      value = make();
      if (value instanceof Promise) value.catch(() => this.#kept.delete(key));
    }
    // A map remembers the order in which its keys came.
    this.#kept.delete(key);
    this.#kept.set(key, value);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most) this.#kept.delete(oldest as Key);
    return value;
  }
}
