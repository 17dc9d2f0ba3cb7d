import type { FactTable, KnownEntity, KnownFact } from '../logic/facts.js';
import {
  joinFrom,
  nameWithCount,
  type CompiledLogic,
  type CompiledPattern,
  type CompiledRule,
  type JoinStep,
} from './compile-logic.js';

/** Facts that are looked at, over the life of a search. */
const maximumLooks = 20_000_000;

/**
 * Told where a rule applies.
 *
 * @param before the facts that the rule needs, in its order
 * @param entities in the order of the rule's placeholders
 */
export type RuleMatched = (rule: CompiledRule, before: readonly KnownFact[], entities: readonly KnownEntity[]) => void;

/** Facts of one name and number of entities that have held in some state. */
interface Relation {
  readonly seen: KnownFact[];
  /** By position of the entity, then by its number. */
  readonly byEntity: KnownFact[][][];
}

/**
 * Finds where the rules of a logic apply, while facts come in one by one: once all facts that a rule needs have held
 * at some time, though not all at once. A new fact is joined with those that were seen before it.
 */
export class RuleSearch {
  /** The search has ended early; some matches may be missing. */
  isCutShort = false;
  /** By the number of the constant. */
  readonly constants: readonly KnownEntity[];
  private readonly relations = new Map<string, Relation>();
  private readonly typeNumbers: number[] = [];
  private readonly seen: boolean[] = [];
  private looks = 0;
  // Of the search that is under way: entities by placeholder, whether an entity is taken, and the facts found.
  private readonly binding: (KnownEntity | undefined)[] = [];
  private readonly taken: boolean[] = [];
  private readonly found: KnownFact[] = [];

  constructor(
    private readonly compiled: CompiledLogic,
    private readonly facts: FactTable,
    private readonly matched: RuleMatched,
  ) {
    this.constants = compiled.constants.map((name) => facts.entity(name, name));
    for (const { index } of this.constants) this.taken[index] = true;
  }

  /** Searches among the facts that hold at the start. */
  begin(facts: readonly KnownFact[]): void {
    for (const fact of facts) this.note(fact);
    for (const rule of this.compiled.rules)
      if (rule.before.every(({ key }) => this.relations.has(key))) this.join(rule, rule.fromScratch, 0);
  }

  /** Tells the search that a fact holds. */
  see(fact: KnownFact): void {
    if (this.seen[fact.index]) return;
    this.note(fact);
    const neededBy = this.compiled.neededBy.get(nameWithCount(fact.name, fact.entities.length));
    for (const { rule, pattern } of neededBy ?? []) {
      if (this.bind(rule, rule.before[pattern] as CompiledPattern, fact)) {
        this.found[pattern] = fact;
        this.join(rule, joinFrom(rule, pattern, this.compiled), 0);
      }
      this.release(rule);
    }
  }

  private note(fact: KnownFact): void {
    if (this.seen[fact.index]) return;
    this.seen[fact.index] = true;
    const key = nameWithCount(fact.name, fact.entities.length);
    if (!this.compiled.neededBy.has(key)) return;
    let relation = this.relations.get(key);
    if (!relation) {
      relation = { seen: [], byEntity: fact.entities.map(() => []) };
      this.relations.set(key, relation);
    }
    relation.seen.push(fact);
    for (const [position, { index }] of fact.entities.entries()) {
      const lists = relation.byEntity[position] as KnownFact[][];
      const list = lists[index];
      if (list) list.push(fact);
      else lists[index] = [fact];
    }
  }

  /** Looks for the facts of the steps from `depth` on; each way to find them all is a match. */
  private join(rule: CompiledRule, steps: readonly JoinStep[], depth: number): void {
    if (this.isCutShort) return;
    const step = steps[depth];
    if (!step) {
      this.bindFree(rule, 0);
      return;
    }
    const pattern = rule.before[step.pattern] as CompiledPattern;
    const relation = this.relations.get(pattern.key);
    if (!relation) return;
    if (step.isCheck) {
      const fact = this.facts.lookUp(
        pattern.name,
        pattern.slots.map((slot) => this.boundTo(slot)),
      );
      if (!fact || !this.seen[fact.index]) return;
      this.found[step.pattern] = fact;
      this.join(rule, steps, depth + 1);
      return;
    }
    const facts =
      step.lookup < 0
        ? relation.seen
        : relation.byEntity[step.lookup]?.[this.boundTo(pattern.slots[step.lookup] as number).index];
    if (!facts) return;
    const bound = this.boundSlots(rule);
    for (const fact of facts) {
      if (this.isCutShort || ++this.looks > maximumLooks) {
        this.isCutShort = true;
        return;
      }
      if (this.bind(rule, pattern, fact)) {
        this.found[step.pattern] = fact;
        this.join(rule, steps, depth + 1);
      }
      this.release(rule, bound);
    }
  }

  private boundTo(slot: number): KnownEntity {
    return (slot < 0 ? this.constants[-1 - slot] : this.binding[slot]) as KnownEntity;
  }

  private boundSlots(rule: CompiledRule): number {
    let bits = 0;
    for (let slot = 0; slot < rule.allowed.length; slot++) if (this.binding[slot]) bits |= 1 << slot;
    return bits;
  }

  /** Binds the placeholders of the pattern to the entities of the fact, as far as they fit. */
  private bind(rule: CompiledRule, pattern: CompiledPattern, fact: KnownFact): boolean {
    for (let position = 0; position < pattern.slots.length; position++) {
      const slot = pattern.slots[position] as number;
      const entity = fact.entities[position] as KnownEntity;
      if (slot < 0) {
        if (entity !== this.constants[-1 - slot]) return false;
        continue;
      }
      const known = this.binding[slot];
      if (known === entity) continue;
      if (known || this.taken[entity.index] || !this.isAllowed(rule, slot, entity)) return false;
      this.binding[slot] = entity;
      this.taken[entity.index] = true;
    }
    return true;
  }

  /** Frees the placeholders again, but for those with a bit in `kept`. */
  private release(rule: CompiledRule, kept = 0): void {
    for (let slot = 0; slot < rule.allowed.length; slot++) {
      const entity = this.binding[slot];
      if (!entity || (kept & (1 << slot)) !== 0) continue;
      this.taken[entity.index] = false;
      this.binding[slot] = undefined;
    }
  }

  private isAllowed(rule: CompiledRule, slot: number, entity: KnownEntity): boolean {
    const type = (this.typeNumbers[entity.index] ??= this.compiled.typeNumbers.get(entity.type) ?? -1);
    return type >= 0 && rule.allowed[slot]?.[type] === 1;
  }

  private bindFree(rule: CompiledRule, depth: number): void {
    const slot = rule.free[depth];
    if (slot === undefined) {
      const { placeholders } = rule.rule;
      this.matched(
        rule,
        this.found.slice(0, rule.before.length),
        placeholders.map(({ name, type }, place) => this.binding[place] ?? this.facts.entity(name, type)),
      );
      return;
    }
    for (const entity of this.facts.entities) {
      if (this.taken[entity.index] || !this.isAllowed(rule, slot, entity)) continue;
      if (this.isCutShort || ++this.looks > maximumLooks) {
        this.isCutShort = true;
        return;
      }
      this.binding[slot] = entity;
      this.taken[entity.index] = true;
      this.bindFree(rule, depth + 1);
      this.taken[entity.index] = false;
      this.binding[slot] = undefined;
    }
  }
}
