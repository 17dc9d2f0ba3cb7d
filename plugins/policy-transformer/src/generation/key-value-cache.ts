/**
 * Which sequence has which slot of an executor's cache. Active sequences are in a contiguous range of slots, so that a
 * run reads a window.
 */
import type { Executor, RowRules } from '../executors/executor.js';
import type { Append, CacheShape, CacheState, StateView } from '../executors/state.js';

/**
 * A sequence that the cache remembers. An evicted sequence has no slot; its tokens and pieces say how to compute it
 * again.
 */
export interface CachedSequence {
  /** Undefined if no later request continues the sequence. */
  readonly name: string | undefined;
  slot: number;
  /** Tokens whose keys and values are (or, without a slot, were) in the cache. */
  readonly tokens: number[];
  /** Sizes of the pieces in which the tokens were fed. Feeding the same pieces again gives the same bits. */
  readonly pieces: number[];
  /** When it was last used, for eviction. */
  used: number;
}

/**
 * Capacity for `length` positions: rounded up to a quarter of the next lower power of two, and to a multiple that the
 * executor wants.
 */
export function cacheCapacity(length: number, multiple: number): number {
  const quarter = 2 ** Math.floor(Math.log2(Math.max(1, length))) / 4;
  return roundUp(Math.max(1, length), roundUp(quarter, multiple));
}

export class KeyValueCache {
  readonly state: CacheState;
  readonly rules: RowRules;
  readonly #shape: CacheShape;
  readonly #occupants: (CachedSequence | undefined)[] = [];
  #time = 0;

  constructor(shape: CacheShape, executor: Pick<Executor, 'allocateCache' | 'rowRules'>) {
    this.#shape = shape;
    this.rules = executor.rowRules;
    this.state = executor.allocateCache(shape);
  }

  get capacity(): number {
    return this.state.capacity;
  }

  /** Capacity for `length` positions. */
  capacityFor(length: number): number {
    return cacheCapacity(length, this.rules.capacityMultiple);
  }

  /** Bytes that `slots` slots of `capacity` positions take. */
  bytes(slots: number, capacity: number): number {
    const { layers, keyValueHeads, headWidth } = this.#shape;
    return slots * capacity * layers * keyValueHeads * headWidth * 2 * Float32Array.BYTES_PER_ELEMENT;
  }

  /** The time for `CachedSequence.used`. It goes on with each call. */
  tick(): number {
    return (this.#time += 1);
  }

  /** Empties every slot and frees the memory. */
  clear(): void {
    for (const sequence of this.resident()) sequence.slot = -1;
    this.#occupants.length = 0;
    this.state.clear();
  }

  /** Removes a sequence from its slot. */
  vacate(sequence: CachedSequence): void {
    if (sequence.slot < 0) return;
    this.#occupants[sequence.slot] = undefined;
    sequence.slot = -1;
  }

  /** Sequences that have a slot. */
  *resident(): Iterable<CachedSequence> {
    for (const sequence of this.#occupants) if (sequence) yield sequence;
  }

  /** Makes room for `slots` sequences of `capacity` positions and keeps the content. Capacity never shrinks. */
  reserve(slots: number, capacity: number): void {
    if (slots <= this.state.slots && capacity <= this.state.capacity) return;
    const kept = [...this.resident()].map(({ slot, tokens }) => ({ slot, length: tokens.length }));
    const needed = Math.max(slots, ...kept.map(({ slot }) => slot + 1));
    this.state.reserve(needed, capacity, kept);
    this.#occupants.length = this.state.slots;
  }

  /**
   * Moves these sequences into slots `first`, `first + 1`, ... in some order. Other sequences in these slots move
   * elsewhere. There must be enough slots.
   */
  arrange(sequences: readonly CachedSequence[], first: number): void {
    const end = first + sequences.length;
    const members = new Set(sequences);
    let target = first;
    let spare = 0;
    // Sequences that have a slot outside go first, because they free it. Otherwise a sequence in the way might find no
    // free slot.
    const placed = sequences.filter(({ slot }) => slot >= 0);
    const fresh = sequences.filter(({ slot }) => slot < 0);
    for (const sequence of [...placed, ...fresh]) {
      if (sequence.slot >= first && sequence.slot < end) continue;
      while (members.has(this.#occupants[target]!)) target += 1;
      const other = this.#occupants[target];
      if (sequence.slot < 0) {
        if (other) {
          while (this.#occupants[spare] || (spare >= first && spare < end)) spare += 1;
          this.#move(target, spare);
        }
        this.#occupants[target] = sequence;
        sequence.slot = target;
      } else if (other) this.#swap(sequence.slot, target);
      else this.#move(sequence.slot, target);
    }
  }

  /** Uses the same memory for sequences of another length. Every slot must be empty. */
  reshape(capacity: number): void {
    this.state.reshape(capacity);
    this.#occupants.length = this.state.slots;
  }

  /** Copies the first pieces of `from` to `to`. Both have slots. */
  copy(from: CachedSequence, to: CachedSequence, pieces: number): void {
    const sizes = from.pieces.slice(0, pieces);
    const length = sizes.reduce((sum, size) => sum + size, 0);
    this.state.copyRows(from.slot, to.slot, length);
    to.tokens.length = 0;
    to.pieces.length = 0;
    for (const token of from.tokens.slice(0, length)) to.tokens.push(token);
    for (const piece of sizes) to.pieces.push(piece);
  }

  /** Slots for one run, and their capacity. If they are empty, nothing of them has to be read. */
  window(first: number, count: number, areEmpty: boolean): { readonly view: StateView; readonly capacity: number } {
    return areEmpty && this.rules.allowsEmptyCache
      ? { view: this.state.window(first, 0), capacity: 0 }
      : { view: this.state.window(first, count), capacity: this.state.capacity };
  }

  /** Where `count` new positions of a sequence go: after its cached ones. */
  end({ slot, tokens }: CachedSequence, count: number): Append {
    return { slot, position: tokens.length, count };
  }

  #move(from: number, to: number): void {
    const sequence = this.#occupants[from];
    if (sequence) this.state.copyRows(from, to, sequence.tokens.length);
    this.#occupants[from] = undefined;
    this.#occupants[to] = sequence;
    if (sequence) sequence.slot = to;
  }

  #swap(a: number, b: number): void {
    this.state.swapRows(a, b);
    const [first, second] = [this.#occupants[a], this.#occupants[b]];
    this.#occupants[a] = second;
    this.#occupants[b] = first;
    if (second) second.slot = a;
    if (first) first.slot = b;
  }
}

function roundUp(size: number, multiple: number): number {
  return Math.ceil(size / multiple) * multiple;
}
