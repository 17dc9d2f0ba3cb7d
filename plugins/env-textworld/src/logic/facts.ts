import { compareText } from '@agentgym/world-kit';
import type { Entity, Fact } from './logic.js';

/** An entity of a table: one object per id. `index` counts from 0 in the order of appearance. */
export interface KnownEntity extends Entity {
  readonly index: number;
}

/** A fact of a table: one object per name and entities. `index` counts from 0 in the order of appearance. */
export interface KnownFact extends Fact {
  readonly index: number;
  readonly entities: readonly KnownEntity[];
}

/** So that the key of three entities is a whole number without loss. */
const maximumEntities = 8192;
const emptyList: readonly never[] = [];

/** Gives each fact that is mentioned one object and one small number, whether the fact holds or not. */
export class FactTable {
  readonly entities: KnownEntity[] = [];
  readonly facts: KnownFact[] = [];
  private readonly byId = new Map<string, KnownEntity>();
  private readonly byName = new Map<string, Map<number | string, KnownFact>>();
  private readonly about: (KnownFact[] | undefined)[] = [];
  /** How many facts are in `about`, which grows when it is asked for. */
  private listed = 0;

  /**
   * The entity of the id. A new id is added. Throws a `RangeError` if the id is known with another type, or if there
   * are more than 8,192 entities.
   */
  entity(id: string, type: string): KnownEntity {
    const known = this.byId.get(id);
    if (known) {
      if (known.type !== type) throw new RangeError(`\`${id}\` has the types \`${known.type}\` and \`${type}\``);
      return known;
    }
    const index = this.entities.length;
    if (index >= maximumEntities) throw new RangeError(`more than ${maximumEntities} entities`);
    const entity: KnownEntity = { id, type, index };
    this.entities.push(entity);
    this.byId.set(id, entity);
    return entity;
  }

  /** The entity of the id, if it is known. */
  findEntity(id: string): KnownEntity | undefined {
    return this.byId.get(id);
  }

  /** The fact with this name about these entities. A new one is added; `entities` must be this table's. */
  fact(name: string, entities: readonly KnownEntity[]): KnownFact {
    let facts = this.byName.get(name);
    if (!facts) this.byName.set(name, (facts = new Map<number | string, KnownFact>()));
    const key = keyOf(entities);
    const known = facts.get(key);
    if (known) return known;
    const fact: KnownFact = { name, entities: [...entities], index: this.facts.length };
    facts.set(key, fact);
    this.facts.push(fact);
    return fact;
  }

  /** The fact with this name about these entities, if it was mentioned before. */
  lookUp(name: string, entities: readonly KnownEntity[]): KnownFact | undefined {
    return this.byName.get(name)?.get(keyOf(entities));
  }

  /** The object of this table for a fact from elsewhere; new entities and facts are added. */
  intern(fact: Fact): KnownFact {
    if (this.isOwn(fact)) return fact;
    return this.fact(
      fact.name,
      fact.entities.map(({ id, type }) => this.entity(id, type)),
    );
  }

  /** The object of this table for a fact from elsewhere, if the fact was mentioned before. */
  find(fact: Fact): KnownFact | undefined {
    if (this.isOwn(fact)) return fact;
    const { name, entities } = fact;
    const known: KnownEntity[] = [];
    for (const { id, type } of entities) {
      const entity = this.byId.get(id);
      if (entity?.type !== type) return undefined;
      known.push(entity);
    }
    return this.lookUp(name, known);
  }

  /** All facts about the entity, in the order of appearance. */
  withEntity(entity: Entity): readonly KnownFact[] {
    this.list();
    const known = this.byId.get(entity.id);
    return (known && this.about[known.index]) ?? emptyList;
  }

  private isOwn(fact: Fact): fact is KnownFact {
    return this.facts[(fact as Partial<KnownFact>).index ?? -1] === fact;
  }

  private list(): void {
    for (; this.listed < this.facts.length; this.listed++) {
      const fact = this.facts[this.listed] as KnownFact;
      for (const [position, entity] of fact.entities.entries())
        if (fact.entities.indexOf(entity) === position) (this.about[entity.index] ??= []).push(fact);
    }
  }
}

/** Equal exactly for equal entities. The count is part of it, for a name may be used with several counts. */
function keyOf(entities: readonly KnownEntity[]): number | string {
  if (entities.length > 3) return entities.map(({ index }) => index).join(' ');
  let key = entities.length;
  for (const { index } of entities) key = key * maximumEntities + index;
  return key;
}

/** Order of facts in the original: by name, then by entities, each by id, then by type. */
export function compareFacts(left: Fact, right: Fact): number {
  return compareText(left.name, right.name) || compareEntities(left.entities, right.entities);
}

export function compareEntities(left: readonly Entity[], right: readonly Entity[]): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const one = left[index] as Entity;
    const other = right[index] as Entity;
    if (one === other) continue;
    const order = compareText(one.id, other.id) || compareText(one.type, other.type);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
