/** Keeps the values of the keys that were asked for last. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value of the key; `make` makes it if it is not kept. */
  get(key: string, make: () => Value): Value {
    const known = this.#values.get(key);
    // Kept values are never undefined.
    const value = known === undefined ? make() : known;
    if (known !== undefined) this.#values.delete(key);
    else if (this.#values.size >= this.#limit) this.#values.delete(this.#values.keys().next().value as string);
    this.#values.set(key, value);
    return value;
  }
}
