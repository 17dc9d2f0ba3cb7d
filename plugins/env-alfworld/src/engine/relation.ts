/** Things of a fact, by their numbers. `key` is a number that no other tuple of the relation has. */
export interface Tuple {
  readonly key: number;
  readonly things: readonly number[];
}

/** The tuples that have certain things at certain places, in the order of their keys. */
type Index = ReadonlyMap<number, readonly Tuple[]>;

const none: readonly Tuple[] = [];

/**
 * The facts of one predicate. Facts can be found by the things at any of their places: an index for a choice of places
 * is made when it is first asked for, and kept up to date from then on.
 */
export class Relation {
  /** Grows with every change; two equal values mean that nothing has changed. */
  version = 0;
  readonly #base: number;
  readonly #tuples = new Map<number, Tuple>();
  readonly #start: ReadonlyMap<number, Tuple>;
  /** What differs from the start. */
  readonly #changed = new Map<number, Tuple>();
  /** By the places as bits: bit 0 for the first. */
  readonly #indexes = new Map<number, Map<number, Tuple[]>>();

  /** `things` is how many things there are; all tuples have numbers below it. */
  constructor(things: number, start: Iterable<readonly number[]> = []) {
    this.#base = things + 1;
    for (const each of start) {
      const tuple = { key: this.keyOf(each), things: each };
      this.#tuples.set(tuple.key, tuple);
    }
    this.#start = new Map(this.#tuples);
  }

  /** The same facts, to be changed apart. */
  copy(): Relation {
    return new Relation(
      this.#base - 1,
      [...this.#start.values()].map(({ things }) => things),
    );
  }

  get size(): number {
    return this.#tuples.size;
  }

  get start(): Iterable<Tuple> {
    return this.#start.values();
  }

  keyOf(things: readonly number[]): number {
    let key = 0;
    for (const thing of things) key = key * this.#base + thing;
    return key;
  }

  has(key: number): boolean {
    return this.#tuples.has(key);
  }

  /** Makes the fact true or false. */
  set(things: readonly number[], isTrue: boolean): void {
    const key = this.keyOf(things);
    if (this.#tuples.has(key) === isTrue) return;
    const tuple = { key, things };
    if (isTrue) this.#tuples.set(key, tuple);
    else this.#tuples.delete(key);
    if (this.#start.has(key) === isTrue) this.#changed.delete(key);
    else this.#changed.set(key, tuple);
    for (const [places, index] of this.#indexes) {
      if (isTrue) insert(index, this.#part(things, places), tuple);
      else remove(index, this.#part(things, places), tuple);
    }
    this.version += 1;
  }

  /** Back to the facts of the start. */
  reset(): void {
    for (const { key, things } of [...this.#changed.values()]) this.set(things, this.#start.has(key));
  }

  /** The facts that are not as at the start, by key. */
  changes(): readonly Tuple[] {
    return [...this.#changed.values()].sort((one, other) => one.key - other.key);
  }

  /** Tuples whose things at `places`, taken together as `keyOf` does, are `part`. */
  find(places: number, part: number): readonly Tuple[] {
    return this.index(places).get(part) ?? none;
  }

  /** An index for the places. */
  index(places: number): Index {
    let index = this.#indexes.get(places);
    if (index === undefined) {
      index = new Map();
      for (const tuple of [...this.#tuples.values()].sort((one, other) => one.key - other.key)) {
        insert(index, this.#part(tuple.things, places), tuple);
      }
      this.#indexes.set(places, index);
    }
    return index;
  }

  #part(things: readonly number[], places: number): number {
    let part = 0;
    for (let place = 0; place < things.length; place += 1) {
      if ((places & (1 << place)) !== 0) part = part * this.#base + (things[place] as number);
    }
    return part;
  }
}

function insert(index: Map<number, Tuple[]>, part: number, tuple: Tuple): void {
  const tuples = index.get(part);
  if (tuples === undefined) {
    index.set(part, [tuple]);
    return;
  }
  let place = tuples.length;
  while (place > 0 && (tuples[place - 1] as Tuple).key > tuple.key) place -= 1;
  tuples.splice(place, 0, tuple);
}

function remove(index: Map<number, Tuple[]>, part: number, { key }: Tuple): void {
  const tuples = index.get(part) as Tuple[];
  tuples.splice(
    tuples.findIndex((tuple) => tuple.key === key),
    1,
  );
}
