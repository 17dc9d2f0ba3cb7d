import type { Entity, Fact } from '../logic/logic.js';

/** A fact with places for entities: the number of its name and, for each place, which of the bound entities fills it. */
export interface NumberedPattern {
  readonly predicate: number;
  readonly slots: readonly number[];
}

/**
 * Entities and facts of one search as small integers, so that states are arrays of flags and matching compares
 * numbers. Numbers are never given back: a search sees few distinct facts, however many states it tries.
 */
export class NumberedFacts {
  readonly entities: Entity[] = [];
  /** Number of the type, by entity. */
  readonly typeOf: number[] = [];
  factCount = 0;
  private readonly entityNumbers = new Map<string, number>();
  private readonly facts: (Fact | undefined)[] = [];
  private predicateOf = new Int32Array(64);
  /** `width` entities per fact, -1 behind the last. */
  private arguments: Int32Array;
  /** Open addressing: numbers of facts by hash, -1 for none; at most half full. */
  private buckets = new Int32Array(128).fill(-1);

  /**
   * @param predicates names of facts by their numbers
   * @param typeNumbers numbers of types by their names
   * @param constants types whose only entity has their name; these entities come first
   * @param width the most entities that a fact has
   */
  constructor(
    private readonly predicates: readonly string[],
    private readonly typeNumbers: ReadonlyMap<string, number>,
    constants: readonly string[],
    readonly width: number,
  ) {
    this.arguments = new Int32Array(64 * width);
    for (const type of constants) this.entity({ id: type, type });
  }

  /** The number of an entity, or `undefined` if its type is none of the logic. */
  entity(entity: Entity): number | undefined {
    const type = this.typeNumbers.get(entity.type);
    if (type === undefined) return undefined;
    const key = `${type} ${entity.id}`;
    let number = this.entityNumbers.get(key);
    if (number === undefined) {
      number = this.entities.length;
      this.entityNumbers.set(key, number);
      this.entities.push(entity);
      this.typeOf.push(type);
    }
    return number;
  }

  predicate(fact: number): number {
    return this.predicateOf[fact] as number;
  }

  /** Entity at a place of a fact; -1 behind the last. */
  argument(fact: number, place: number): number {
    return this.arguments[fact * this.width + place] as number;
  }

  /** The number of the pattern filled with the bound entities; -1 if this fact was never numbered. */
  find(pattern: NumberedPattern, bound: ArrayLike<number>): number {
    return this.buckets[this.bucket(pattern, bound)] as number;
  }

  /** The number of the pattern filled with the bound entities; a new one if it has none yet. */
  number(pattern: NumberedPattern, bound: ArrayLike<number>): number {
    const bucket = this.bucket(pattern, bound);
    const known = this.buckets[bucket] as number;
    if (known >= 0) return known;
    const fact = this.factCount++;
    if (fact === this.predicateOf.length) this.grow();
    this.predicateOf[fact] = pattern.predicate;
    const start = fact * this.width;
    for (let place = 0; place < this.width; place++) {
      const slot = pattern.slots[place];
      this.arguments[start + place] = slot === undefined ? -1 : (bound[slot] as number);
    }
    this.buckets[bucket] = fact;
    if (this.factCount * 2 > this.buckets.length) this.rehash();
    return fact;
  }

  /** The fact of a number; the same object each time. */
  fact(number: number): Fact {
    const known = this.facts[number];
    if (known) return known;
    const entities: Entity[] = [];
    for (let place = 0; place < this.width && this.argument(number, place) >= 0; place++) {
      entities.push(this.entities[this.argument(number, place)] as Entity);
    }
    const fact = { name: this.predicates[this.predicate(number)] as string, entities };
    this.facts[number] = fact;
    return fact;
  }

  /** Where the fact is, or where it would go. */
  private bucket(pattern: NumberedPattern, bound: ArrayLike<number>): number {
    const { slots, predicate } = pattern;
    let hash = predicate + 1;
    for (let place = 0; place < slots.length; place++) {
      hash = Math.imul(hash ^ ((bound[slots[place] as number] as number) + 1), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    const mask = this.buckets.length - 1;
    for (let bucket = hash & mask; ; bucket = (bucket + 1) & mask) {
      const fact = this.buckets[bucket] as number;
      if (fact < 0 || this.isFact(fact, predicate, slots, bound)) return bucket;
    }
  }

  private isFact(fact: number, predicate: number, slots: readonly number[], bound: ArrayLike<number>): boolean {
    if (this.predicateOf[fact] !== predicate) return false;
    const start = fact * this.width;
    for (let place = 0; place < slots.length; place++) {
      if (this.arguments[start + place] !== bound[slots[place] as number]) return false;
    }
    return true;
  }

  private grow(): void {
    const predicates = new Int32Array(this.predicateOf.length * 2);
    predicates.set(this.predicateOf);
    this.predicateOf = predicates;
    const all = new Int32Array(this.arguments.length * 2);
    all.set(this.arguments);
    this.arguments = all;
  }

  private rehash(): void {
    this.buckets = new Int32Array(this.buckets.length * 2).fill(-1);
    const mask = this.buckets.length - 1;
    for (let fact = 0; fact < this.factCount; fact++) {
      const start = fact * this.width;
      let hash = (this.predicateOf[fact] as number) + 1;
      for (let place = 0; place < this.width && (this.arguments[start + place] as number) >= 0; place++) {
        hash = Math.imul(hash ^ ((this.arguments[start + place] as number) + 1), 0x9e3779b1);
        hash ^= hash >>> 15;
      }
      let bucket = hash & mask;
      while ((this.buckets[bucket] as number) >= 0) bucket = (bucket + 1) & mask;
      this.buckets[bucket] = fact;
    }
  }
}
