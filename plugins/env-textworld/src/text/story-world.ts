// The world of a compiled story: which object is where, in the order of Inform's object tree, and what state it is in.

/** Bits of the state of an object. */
export const Open = 1;
export const Locked = 2;
export const Edible = 4;
export const Inedible = 8;
export const NeedsCooking = 16;
export const Cooked = 32;
export const Burned = 64;
export const Consumed = 128;
export const Visited = 256;

/** Bits of facts about one thing that mean the same in the logic and in a story. */
export const stateBits: ReadonlyMap<string, number> = new Map([
  ['edible', Edible],
  ['inedible', Inedible],
  ['needs_cooking', NeedsCooking],
  ['cooked', Cooked],
  ['burned', Burned],
  ['consumed', Consumed],
]);

/** How a food was prepared with heat, and how it was cut. The order is that of Inform's values. */
export const cookings = ['raw', 'grilled', 'roasted', 'fried'] as const;
export const cuttings = ['uncut', 'sliced', 'diced', 'chopped'] as const;
const cookingShift = 16;
const cuttingShift = 20;
const valueMask = 15;

/**
 * Positions and states of all objects of a story. Object 0 is nothing and nowhere. Whatever is moved becomes the first
 * child of its new parent, as in the Z-machine, so children are listed from the last one that was moved.
 */
export class StoryWorld {
  /** Whether something changed since this was last set to false. */
  isChanged = false;

  /** Parents, first children, next siblings and states, one after the other, so that one copy copies all. */
  private constructor(
    private readonly cells: Int32Array,
    readonly size: number,
  ) {}

  /** A world in which all objects are nowhere and in the state 0. */
  static empty(size: number): StoryWorld {
    return new StoryWorld(new Int32Array(4 * size), size);
  }

  copy(): StoryWorld {
    return new StoryWorld(this.cells.slice(), this.size);
  }

  /**
   * Equal for two worlds of a story exactly if everything is in the same place, order and state.
   *
   * @param unordered Objects whose place among the things beside them does not matter.
   * @param forgetsVisits Whether it does not matter which rooms the player has been in.
   */
  key(unordered: readonly number[] = [], forgetsVisits = false): string {
    const { size } = this;
    const cells = this.cells.slice();
    for (let object = 0; object < size; object++) {
      // Parents and siblings tell the children.
      cells[size + object] = 0;
      let next = unordered.includes(object) ? 0 : this.sibling(object);
      while (next !== 0 && unordered.includes(next)) next = this.sibling(next);
      cells[2 * size + object] = next;
      if (forgetsVisits) cells[3 * size + object]! &= ~Visited;
    }
    return Buffer.from(cells.buffer).toString('latin1');
  }

  parent(object: number): number {
    return this.cells[object] as number;
  }

  child(object: number): number {
    return this.cells[this.size + object] as number;
  }

  sibling(object: number): number {
    return this.cells[2 * this.size + object] as number;
  }

  /** Moves an object to the front of a parent's children; to 0: out of play. */
  move(object: number, parent: number): void {
    this.isChanged = true;
    this.detach(object);
    this.cells[object] = parent;
    if (parent === 0) return;
    this.cells[2 * this.size + object] = this.child(parent);
    this.cells[this.size + parent] = object;
  }

  /** Moves an object behind all children of a parent. */
  append(object: number, parent: number): void {
    this.isChanged = true;
    this.detach(object);
    this.cells[object] = parent;
    let last = this.child(parent);
    if (last === 0) {
      this.cells[this.size + parent] = object;
      return;
    }
    while (this.sibling(last) !== 0) last = this.sibling(last);
    this.cells[2 * this.size + last] = object;
  }

  /** Whether a bit of the state is set. */
  has(object: number, bit: number): boolean {
    return ((this.cells[3 * this.size + object] as number) & bit) !== 0;
  }

  set(object: number, bit: number, value: boolean): void {
    const place = 3 * this.size + object;
    const state = this.cells[place] as number;
    const next = value ? state | bit : state & ~bit;
    if (next === state) return;
    this.isChanged = true;
    this.cells[place] = next;
  }

  /** Index in `cookings`. */
  cooking(object: number): number {
    return ((this.cells[3 * this.size + object] as number) >> cookingShift) & valueMask;
  }

  setCooking(object: number, cooking: number): void {
    this.setValue(object, cookingShift, cooking);
  }

  /** Index in `cuttings`. */
  cutting(object: number): number {
    return ((this.cells[3 * this.size + object] as number) >> cuttingShift) & valueMask;
  }

  setCutting(object: number, cutting: number): void {
    this.setValue(object, cuttingShift, cutting);
  }

  private setValue(object: number, shift: number, value: number): void {
    const place = 3 * this.size + object;
    this.isChanged = true;
    this.cells[place] = ((this.cells[place] as number) & ~(valueMask << shift)) | (value << shift);
  }

  private detach(object: number): void {
    const parent = this.parent(object);
    if (parent === 0) return;
    const next = this.sibling(object);
    if (this.child(parent) === object) {
      this.cells[this.size + parent] = next;
    } else {
      let before = this.child(parent);
      while (this.sibling(before) !== object) before = this.sibling(before);
      this.cells[2 * this.size + before] = next;
    }
    this.cells[object] = 0;
    this.cells[2 * this.size + object] = 0;
  }
}
