import type { KnownEntity, KnownFact } from '../logic/facts.js';
import type { Fact } from '../logic/logic.js';

const nothing = -1;

/** Whether the fact says where a thing is. The player is not listed among the things of a room. */
export function isPlace({ name, entities }: Fact): boolean {
  return entities.length === 2 && (name === 'at' || name === 'in' || name === 'on') && entities[0]?.type !== 'P';
}

/**
 * What is where, in the order in which a compiled game lists it: at the start in the order of the facts; a thing that
 * is moved comes first. Every place has a list: its first thing, and for each thing the next one.
 */
export class Contents {
  private constructor(
    private first: Int32Array,
    private next: Int32Array,
    private place: Int32Array,
  ) {}

  static of(facts: readonly KnownFact[], entities: number): Contents {
    const contents = new Contents(
      new Int32Array(entities).fill(nothing),
      new Int32Array(entities).fill(nothing),
      new Int32Array(entities).fill(nothing),
    );
    for (let index = facts.length - 1; index >= 0; index--) contents.add(facts[index] as KnownFact);
    return contents;
  }

  /** The fact holds now: puts the thing first in its place. */
  add(fact: KnownFact): void {
    if (!isPlace(fact)) return;
    const thing = (fact.entities[0] as KnownEntity).index;
    const holder = (fact.entities[1] as KnownEntity).index;
    this.take(thing);
    this.next[thing] = this.first[holder] as number;
    this.first[holder] = thing;
    this.place[thing] = holder;
  }

  /** The fact holds no longer. */
  remove(fact: KnownFact): void {
    if (!isPlace(fact)) return;
    const thing = (fact.entities[0] as KnownEntity).index;
    if (this.place[thing] === (fact.entities[1] as KnownEntity).index) this.take(thing);
  }

  within(holder: KnownEntity, entities: readonly KnownEntity[]): KnownEntity[] {
    const list: KnownEntity[] = [];
    for (let thing = this.first[holder.index] ?? nothing; thing !== nothing; thing = this.next[thing] as number)
      list.push(entities[thing] as KnownEntity);
    return list;
  }

  holder(thing: KnownEntity, entities: readonly KnownEntity[]): KnownEntity | undefined {
    return entities[this.place[thing.index] ?? nothing];
  }

  copy(): Contents {
    return new Contents(this.first.slice(), this.next.slice(), this.place.slice());
  }

  /** Equal exactly if all lists are equal. */
  key(): string {
    let key = '';
    for (let index = 0; index < this.first.length; index++)
      key += String.fromCharCode((this.first[index] as number) + 1, (this.next[index] as number) + 1);
    return key;
  }

  private take(thing: number): void {
    const holder = this.place[thing] as number;
    if (holder === nothing) return;
    const next = this.next[thing] as number;
    if (this.first[holder] === thing) {
      this.first[holder] = next;
    } else {
      let before = this.first[holder] as number;
      while (this.next[before] !== thing) before = this.next[before] as number;
      this.next[before] = next;
    }
    this.next[thing] = nothing;
    this.place[thing] = nothing;
  }
}
