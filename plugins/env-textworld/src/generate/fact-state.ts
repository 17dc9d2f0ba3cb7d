import type { NumberedFacts } from './numbered-facts.js';

const none: readonly number[] = [];

/** Which facts hold, with lists of them by name and by name and first entity. Changes are made in place. */
export class FactState {
  private holdsFact = new Uint8Array(256);
  private readonly byPredicate: number[][] = [];
  /** By first entity times the number of predicates, plus the predicate. */
  private readonly byFirst: (number[] | undefined)[] = [];

  constructor(
    private readonly table: NumberedFacts,
    private readonly predicateCount: number,
  ) {
    for (let predicate = 0; predicate < predicateCount; predicate++) this.byPredicate.push([]);
  }

  /** False for -1, the number of facts that have none. */
  holds(fact: number): boolean {
    return this.holdsFact[fact] === 1;
  }

  /** The facts of a name, in no particular order. */
  of(predicate: number): readonly number[] {
    return this.byPredicate[predicate] ?? none;
  }

  /** The facts of a name with this first entity, in no particular order. */
  ofFirst(predicate: number, entity: number): readonly number[] {
    return this.byFirst[entity * this.predicateCount + predicate] ?? none;
  }

  /** Every fact that holds, by name. */
  all(): number[] {
    return this.byPredicate.flat();
  }

  /** Adds a fact that does not hold yet. */
  add(fact: number): void {
    if (fact >= this.holdsFact.length) {
      const longer = new Uint8Array(Math.max(fact + 1, this.holdsFact.length * 2));
      longer.set(this.holdsFact);
      this.holdsFact = longer;
    }
    this.holdsFact[fact] = 1;
    const predicate = this.table.predicate(fact);
    (this.byPredicate[predicate] as number[]).push(fact);
    const first = this.table.argument(fact, 0);
    if (first < 0) return;
    const index = first * this.predicateCount + predicate;
    while (this.byFirst.length <= index) this.byFirst.push(undefined);
    const list = this.byFirst[index];
    if (list) list.push(fact);
    else this.byFirst[index] = [fact];
  }

  /** Removes a fact that holds. */
  remove(fact: number): void {
    this.holdsFact[fact] = 0;
    const predicate = this.table.predicate(fact);
    drop(this.byPredicate[predicate] as number[], fact);
    const first = this.table.argument(fact, 0);
    if (first >= 0) drop(this.byFirst[first * this.predicateCount + predicate] as number[], fact);
  }
}

function drop(list: number[], fact: number): void {
  const last = list.pop() as number;
  if (last !== fact) list[list.lastIndexOf(fact)] = last;
}
