import type { NumberedFacts } from './numbered-facts.js';
import { orderOfEntities } from './sort-facts.js';

/** The entities that a state knows, by type. Pools share their lists. */
export class EntityPool {
  private constructor(
    /** By type: the entities of the type or below it, in the order of the original. */
    private readonly lists: readonly (readonly number[])[],
    private readonly table: NumberedFacts,
    /** By type: the type and all above it. */
    private readonly withAbove: readonly (readonly number[])[],
  ) {}

  static empty(table: NumberedFacts, withAbove: readonly (readonly number[])[]): EntityPool {
    return new EntityPool(
      withAbove.map(() => []),
      table,
      withAbove,
    );
  }

  /** Entities of the type or below it. */
  of(type: number): readonly number[] {
    return this.lists[type] as readonly number[];
  }

  /** How many entities are of this very type. */
  countExactly(type: number): number {
    let count = 0;
    for (const entity of this.of(type)) if (this.table.typeOf[entity] === type) count++;
    return count;
  }

  has(entity: number): boolean {
    return this.of(this.table.typeOf[entity] as number).includes(entity);
  }

  /** The pool with more entities, none of which it has. */
  with(entities: readonly number[]): EntityPool {
    if (entities.length === 0) return this;
    const lists = [...this.lists];
    const changed = new Set(entities.flatMap((entity) => this.withAbove[this.table.typeOf[entity] as number] ?? []));
    for (const type of changed) {
      const belongs = (entity: number): boolean =>
        (this.withAbove[this.table.typeOf[entity] as number] as readonly number[]).includes(type);
      lists[type] = [...this.of(type), ...entities.filter(belongs)].sort((left, right) => this.compare(left, right));
    }
    return new EntityPool(lists, this.table, this.withAbove);
  }

  private compare(left: number, right: number): number {
    const { entities } = this.table;
    return orderOfEntities(entities[left] as (typeof entities)[number], entities[right] as (typeof entities)[number]);
  }
}
