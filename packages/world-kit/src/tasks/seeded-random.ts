/** Random numbers that depend on nothing but a text: the id of what is made with them. */
export class SeededRandom {
  #state: number;

  constructor(seed: string) {
    // FNV-1a over UTF-16 units.
    let hash = 0x811c9dc5;
    for (let index = 0; index < seed.length; index += 1) hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193);
    this.#state = hash >>> 0;
  }

  /** In [0, 1): the generator mulberry32. */
  uniform(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** In [low, high). */
  integer(low: number, high: number): number {
    return low + Math.floor(this.uniform() * (high - low));
  }

  /** One of the items; there has to be one. */
  choice<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length)] as Item;
  }

  shuffle<Item>(items: readonly Item[]): Item[] {
    const shuffled = [...items];
    for (let index = shuffled.length - 1; index > 0; index -= 1) {
      const other = this.integer(0, index + 1);
      [shuffled[index], shuffled[other]] = [shuffled[other] as Item, shuffled[index] as Item];
    }
    return shuffled;
  }
}
