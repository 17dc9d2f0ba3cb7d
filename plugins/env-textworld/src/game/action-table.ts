import { compareText } from '../logic/compare-text.js';
import { FactTable, type KnownEntity, type KnownFact } from '../logic/facts.js';
import type { Action, Entity, Fact } from '../logic/logic.js';
import {
  compileLogic,
  joinFrom,
  nameWithCount,
  type CompiledLogic,
  type CompiledPattern,
  type CompiledRule,
  type JoinStep,
} from './compile-logic.js';
import type { Game } from './game.js';
import { compareActions, insertSorted } from './order-actions.js';

/** An action of a game: one object per rule and entities. */
export interface GameAction extends Action {
  /** From 0, in the order in which the actions were found. */
  readonly index: number;
  readonly before: readonly KnownFact[];
  readonly after: readonly KnownFact[];
  /** In the order of the rule's placeholders. */
  readonly entities: readonly KnownEntity[];
  /** What a player types; undefined if no command does it. */
  readonly text: CommandText | undefined;
  /** Numbers of facts. */
  readonly needs: readonly number[];
  readonly adds: readonly number[];
  readonly removes: readonly number[];
  /** Grows in the order in which the original lists actions. */
  order: number;
}

/** A command in a player's words, with all actions that it may mean, in the order of the original. */
export interface CommandText {
  readonly text: string;
  readonly actions: GameAction[];
  /** Grows in alphabetical order. */
  order: number;
}

/** More actions than any sensible game has; a game with more is treated as if it had no others. */
const maximumActions = 50_000;
/** Facts that are looked at in the search for actions, over the life of a table. */
const maximumLooks = 20_000_000;

/** Facts of one name and number of entities that have held in some state. */
interface Relation {
  readonly seen: KnownFact[];
  /** By position of the entity, then by its number. */
  readonly byEntity: KnownFact[][][];
}

const tables = new WeakMap<Game, ActionTable>();

/**
 * All facts and actions of a game that its states have come across. A table belongs to a game, and grows with what
 * is played: an action is added once all facts that it needs have held at some time, though not all at once.
 */
export class ActionTable {
  readonly facts = new FactTable();
  readonly actions: GameAction[] = [];
  /** Actions that need a fact, by its number. */
  readonly usersOf: GameAction[][] = [];
  /** Facts at the start. */
  readonly start: readonly KnownFact[];
  /** The search for actions has reached its limits; some actions may be missing. */
  isCutShort = false;
  private readonly compiled: CompiledLogic;
  private readonly relations = new Map<string, Relation>();
  private readonly ruleActions: GameAction[][] = [];
  private readonly byEntities: Map<number | string, GameAction>[] = [];
  /** Actions from elsewhere, such as those of quests. */
  private readonly interned = new WeakMap<Action, GameAction>();
  private readonly commands = new Map<string, CommandText>();
  private readonly sortedCommands: CommandText[] = [];
  private readonly constants: readonly KnownEntity[];
  private readonly typeNumbers: number[] = [];
  private readonly seen: boolean[] = [];
  private looks = 0;
  /** Actions and commands that have no place in the order yet. */
  private newActions: GameAction[] = [];
  private newCommands: CommandText[] = [];
  // Of the search that is under way: entities by placeholder, whether an entity is taken, and the facts found.
  private readonly binding: (KnownEntity | undefined)[] = [];
  private readonly taken: boolean[] = [];
  private readonly found: KnownFact[] = [];

  /** The table of a game; the same one at every call. */
  static of(game: Game): ActionTable {
    let table = tables.get(game);
    if (!table) {
      table = new ActionTable(game);
      tables.set(game, table);
    }
    return table;
  }

  /**
   * A table of its own with all actions that could ever become possible: those whose facts can be had one by one,
   * disregarding that actions also remove facts.
   */
  static closed(game: Game): ActionTable {
    const table = new ActionTable(game);
    for (const { adds } of table.actions) for (const fact of adds) table.see(table.facts.facts[fact] as KnownFact);
    table.settle();
    return table;
  }

  private constructor(readonly game: Game) {
    this.compiled = compileLogic(game.logic);
    this.constants = this.compiled.constants.map((name) => this.facts.entity(name, name));
    for (const { index } of this.constants) this.taken[index] = true;
    this.start = game.facts.map((fact) => this.facts.intern(fact));
    for (const fact of this.start) this.note(fact);
    for (const rule of this.compiled.rules)
      if (rule.before.every(({ key }) => this.relations.has(key))) this.join(rule, rule.fromScratch, 0);
  }

  /** Tells the table that a fact holds; finds the actions that become thinkable by it. */
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

  /** Gives the actions that were found since the last call their places in the orders of actions and commands. */
  settle(): void {
    if (this.newActions.length === 0) return;
    const byRule: GameAction[][] = [];
    for (const action of this.newActions) (byRule[this.ruleOf(action).index] ??= []).push(action);
    byRule.forEach((added, index) => {
      const rule = this.compiled.rules[index] as CompiledRule;
      const list = (this.ruleActions[index] ??= []);
      insertSorted(list, added, (one, other) => compareActions(rule, one, other), index);
    });
    insertSorted(this.sortedCommands, this.newCommands, (one, other) => compareText(one.text, other.text), 0);
    const texts = new Set<CommandText>();
    for (const action of this.newActions) {
      if (!action.text) continue;
      action.text.actions.push(action);
      texts.add(action.text);
    }
    for (const { actions } of texts) if (actions.length > 1) actions.sort((one, other) => one.order - other.order);
    this.newActions = [];
    this.newCommands = [];
  }

  /** Whether no rule adds or removes such facts. */
  isStatic({ name, entities }: Fact): boolean {
    return !this.compiled.changing.has(nameWithCount(name, entities.length));
  }

  /** The action of a rule on entities (in the order of the rule's placeholders), if it was found. */
  find(rule: string, entities: readonly Entity[]): GameAction | undefined {
    const compiled = this.compiled.rulesByName.get(rule);
    const actions = compiled && this.byEntities[compiled.index];
    if (!actions) return undefined;
    const known: KnownEntity[] = [];
    for (const { id } of entities) {
      const entity = this.facts.findEntity(id);
      if (!entity) return undefined;
      known.push(entity);
    }
    return actions.get(keyOf(known));
  }

  /**
   * The object of this table for an action from elsewhere, if it was found. Quests write the facts of an action in
   * another order than its rule does, so facts are compared as sets.
   */
  intern(action: Action): GameAction | undefined {
    const own = this.actions[(action as Partial<GameAction>).index ?? -1];
    if (own === action) return own;
    const known = this.interned.get(action);
    if (known) return known;
    const before = this.numbersOf(action.before);
    const after = this.numbersOf(action.after);
    for (const candidate of this.candidates(action.rule, before)) {
      if (!isSameSet(candidate.before, before) || !isSameSet(candidate.after, after)) continue;
      this.interned.set(action, candidate);
      return candidate;
    }
    return undefined;
  }

  /** The command with this text, if one was found. */
  command(text: string): CommandText | undefined {
    return this.commands.get(text);
  }

  /** Actions of a rule, in the order in which they were found; if they need facts, only those that need the first. */
  private candidates(name: string, needs: ReadonlySet<number>): readonly GameAction[] {
    const [first] = needs;
    const actions = first === undefined ? this.actions : (this.usersOf[first] ?? []);
    return actions.filter(({ rule }) => rule === name);
  }

  private numbersOf(facts: readonly Fact[]): ReadonlySet<number> {
    return new Set(facts.map((fact) => this.facts.find(fact)?.index ?? -1));
  }

  private ruleOf({ rule }: GameAction): CompiledRule {
    return this.compiled.rulesByName.get(rule) as CompiledRule;
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

  /** Looks for the facts of the steps from `depth` on; adds an action for each way to find them all. */
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
      this.add(rule);
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

  private add(compiled: CompiledRule): void {
    const { rule } = compiled;
    const entities = rule.placeholders.map(
      ({ name, type }, slot) => this.binding[slot] ?? this.facts.entity(name, type),
    );
    const byEntities = (this.byEntities[compiled.index] ??= new Map<number | string, GameAction>());
    const key = keyOf(entities);
    if (byEntities.has(key)) return;
    if (this.actions.length >= maximumActions) {
      this.isCutShort = true;
      return;
    }
    const before = this.found.slice(0, compiled.before.length);
    const after = compiled.after.map(({ name, slots }) =>
      this.facts.fact(
        name,
        slots.map((slot) => this.boundTo(slot)),
      ),
    );
    const needs: number[] = [];
    for (const { index } of before) if (!needs.includes(index)) needs.push(index);
    const adds: number[] = [];
    for (const { index } of after) if (!needs.includes(index) && !adds.includes(index)) adds.push(index);
    const removes = needs.filter((fact) => !after.some(({ index }) => index === fact));
    const { command } = compiled;
    const action: GameAction = {
      index: this.actions.length,
      rule: rule.name,
      before,
      after,
      entities,
      text: command && this.textOf(command, entities),
      ...(command && { command: withIds(command, entities) }),
      needs,
      adds,
      removes,
      order: 0,
    };
    byEntities.set(key, action);
    this.actions.push(action);
    for (const fact of needs) (this.usersOf[fact] ??= []).push(action);
    this.newActions.push(action);
  }

  private textOf(command: readonly (string | number)[], entities: readonly KnownEntity[]): CommandText {
    let text = '';
    for (const part of command)
      text +=
        typeof part === 'string' ? part : (this.game.infos.get((entities[part] as KnownEntity).id)?.name ?? 'None');
    const known = this.commands.get(text);
    if (known) return known;
    const added: CommandText = { text, actions: [], order: 0 };
    this.commands.set(text, added);
    this.newCommands.push(added);
    return added;
  }
}

function withIds(command: readonly (string | number)[], entities: readonly KnownEntity[]): string {
  let text = '';
  for (const part of command) text += typeof part === 'string' ? part : `{${(entities[part] as KnownEntity).id}}`;
  return text;
}

/** Notes which entities the placeholders of a pattern stand for in a fact. */
function isSameSet(facts: readonly KnownFact[], numbers: ReadonlySet<number>): boolean {
  return facts.length === numbers.size && facts.every(({ index }) => numbers.has(index));
}

/** Equal exactly for equal entities. */
function keyOf(entities: readonly KnownEntity[]): number | string {
  if (entities.length > 3) {
    let key = '';
    for (const { index } of entities) key += String.fromCharCode(index);
    return key;
  }
  let key = 0;
  for (const { index } of entities) key = key * 8192 + index;
  return key;
}
