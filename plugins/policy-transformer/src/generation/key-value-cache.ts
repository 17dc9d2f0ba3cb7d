/**
 * Keys and values of many sequences, in the layout of the decode graph: per layer one array of keys and one of values,
 * [slots, heads, capacity, width]. The graph reads them in place and does not change them; `write` adds the keys and
 * values of new tokens after a run. Active sequences are in a contiguous range of slots, so that a run reads a view and
 * copies nothing.
 */

/** Sizes of one token's keys (or values) in one layer, and how many layers there are. */
export interface CacheShape {
  readonly layers: number;
  readonly keyValueHeads: number;
  readonly headWidth: number;
}

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
 * Capacity grows by this many positions. A multiple of 16, the longest vector that the engine's softmax and products
 * add up, so that capacity never changes a bit. (onnxruntime/core/mlas/lib/x86_64/TransKernelAvx512F.S: one
 * accumulator, vector by vector.)
 */
const CAPACITY_STEP = 32;

/** Capacity for `length` positions. Steps are 32; from 256 on, a quarter of the next lower power of two. */
export function capacityFor(length: number): number {
  const step = Math.max(CAPACITY_STEP, 2 ** Math.floor(Math.log2(Math.max(1, length))) / 4);
  return Math.ceil(Math.max(1, length) / step) * step;
}

export class KeyValueCache {
  /** Per layer, [slots, keyValueHeads, capacity, headWidth]. */
  readonly keys: Float32Array[] = [];
  readonly values: Float32Array[] = [];
  capacity = 0;
  slots = 0;
  readonly #shape: CacheShape;
  readonly #occupants: (CachedSequence | undefined)[] = [];
  #scratch = new Float32Array(0);

  constructor(shape: CacheShape) {
    this.#shape = shape;
    this.clear();
  }

  /** Floats of one slot in one array. */
  get slotSize(): number {
    return this.#shape.keyValueHeads * this.#shape.headWidth * this.capacity;
  }

  /** Bytes that `slots` slots of `capacity` positions take. */
  bytes(slots: number, capacity: number): number {
    const { layers, keyValueHeads, headWidth } = this.#shape;
    return slots * capacity * layers * keyValueHeads * headWidth * 2 * Float32Array.BYTES_PER_ELEMENT;
  }

  /** Forgets everything and frees the memory. */
  clear(): void {
    this.capacity = 0;
    this.slots = 0;
    this.#occupants.length = 0;
    for (let layer = 0; layer < this.#shape.layers; layer += 1) {
      this.keys[layer] = new Float32Array(0);
      this.values[layer] = new Float32Array(0);
    }
  }

  /** Empties every slot and keeps the memory. */
  empty(): void {
    for (const sequence of this.#occupants) if (sequence) sequence.slot = -1;
    this.#occupants.fill(undefined);
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

  /**
   * Makes room for `slots` sequences of `capacity` positions and keeps the content. Capacity never shrinks, and memory
   * is reused.
   */
  reserve(slots: number, capacity: number): void {
    if (slots <= this.slots && capacity <= this.capacity) return;
    const residents = [...this.resident()].sort((a, b) => b.slot - a.slot);
    const wider = Math.max(capacity, this.capacity);
    const needed = Math.max(slots, (residents[0]?.slot ?? -1) + 1);
    const { layers, keyValueHeads, headWidth } = this.#shape;
    const rows = keyValueHeads * headWidth;
    const floats = Math.max(this.keys[0]!.length, needed * rows * wider);
    const strides = [this.capacity * headWidth, wider * headWidth] as const;
    for (const arrays of [this.keys, this.values]) {
      for (let layer = 0; layer < layers; layer += 1) {
        const from = arrays[layer]!;
        const to = floats === from.length ? from : new Float32Array(floats);
        for (const { slot, tokens } of residents) {
          restride(from, to, slot * keyValueHeads, keyValueHeads, strides, tokens.length * headWidth);
        }
        arrays[layer] = to;
      }
    }
    this.capacity = wider;
    this.slots = Math.floor(floats / (rows * wider));
    this.#occupants.length = this.slots;
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
    this.slots = Math.floor((this.slots * this.capacity) / capacity);
    this.capacity = capacity;
    this.#occupants.length = this.slots;
  }

  /** Copies the cache of `from` to `to`. Both have slots. */
  copy(from: CachedSequence, to: CachedSequence): void {
    const { headWidth } = this.#shape;
    const size = this.slotSize;
    const stride = this.capacity * headWidth;
    const count = from.tokens.length * headWidth;
    const shift = (to.slot - from.slot) * size;
    for (const arrays of [this.keys, this.values]) {
      for (const array of arrays) {
        for (let row = from.slot * size; row < (from.slot + 1) * size; row += stride) {
          array.copyWithin(row + shift, row, row + count);
        }
      }
    }
    to.tokens.length = 0;
    to.pieces.length = 0;
    for (const token of from.tokens) to.tokens.push(token);
    for (const piece of from.pieces) to.pieces.push(piece);
  }

  /**
   * Writes `count` new positions of the sequence after its cached ones, in one layer.
   * @param keys and values: [rows, keyValueHeads, width, headWidth] of a run
   * @param row the sequence's row of the run
   */
  write(
    sequence: CachedSequence,
    layer: number,
    keys: Float32Array,
    values: Float32Array,
    row: number,
    width: number,
    count: number,
  ): void {
    const { keyValueHeads, headWidth } = this.#shape;
    const cachedKeys = this.keys[layer]!;
    const cachedValues = this.values[layer]!;
    const stride = this.capacity * headWidth;
    const run = count * headWidth;
    let source = row * keyValueHeads * width * headWidth;
    let target = sequence.slot * keyValueHeads * stride + sequence.tokens.length * headWidth;
    for (let head = 0; head < keyValueHeads; head += 1, source += width * headWidth, target += stride) {
      for (let index = 0; index < run; index += 1) {
        cachedKeys[target + index] = keys[source + index]!;
        cachedValues[target + index] = values[source + index]!;
      }
    }
  }

  #move(from: number, to: number): void {
    const size = this.slotSize;
    for (const array of this.keys) array.copyWithin(to * size, from * size, (from + 1) * size);
    for (const array of this.values) array.copyWithin(to * size, from * size, (from + 1) * size);
    const sequence = this.#occupants[from];
    this.#occupants[from] = undefined;
    this.#occupants[to] = sequence;
    if (sequence) sequence.slot = to;
  }

  #swap(a: number, b: number): void {
    const size = this.slotSize;
    if (this.#scratch.length < size) this.#scratch = new Float32Array(size);
    const scratch = this.#scratch.subarray(0, size);
    for (const arrays of [this.keys, this.values]) {
      for (const array of arrays) {
        scratch.set(array.subarray(a * size, (a + 1) * size));
        array.copyWithin(a * size, b * size, (b + 1) * size);
        array.set(scratch, b * size);
      }
    }
    const [first, second] = [this.#occupants[a], this.#occupants[b]];
    this.#occupants[a] = second;
    this.#occupants[b] = first;
    if (second) second.slot = a;
    if (first) first.slot = b;
  }
}

/**
 * Moves the first `count` numbers of `rows` rows, starting at the row `first`, to their places with a wider stride. It
 * works from the end, so that source and target may be the same array.
 */
function restride(
  from: Float32Array,
  to: Float32Array,
  first: number,
  rows: number,
  [narrow, wide]: readonly [number, number],
  count: number,
): void {
  for (let row = first + rows - 1; row >= first; row -= 1) {
    if (from === to) to.copyWithin(row * wide, row * narrow, row * narrow + count);
    else to.set(from.subarray(row * narrow, row * narrow + count), row * wide);
  }
}
