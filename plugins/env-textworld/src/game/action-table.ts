import { compareText } from '@agentgym/world-kit';
import { FactTable, type KnownEntity, type KnownFact } from '../logic/facts.js';
import type { Action, Fact } from '../logic/logic.js';
import { compileLogic, nameWithCount, type CompiledLogic, type CompiledRule } from './compile-logic.js';
import type { Game } from './game.js';
import { compareActions, insertSorted } from './order-actions.js';
import { RuleSearch } from './rule-search.js';

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
  private readonly compiled: CompiledLogic;
  private readonly search: RuleSearch;
  private readonly ruleActions: GameAction[][] = [];
  /** Keys of the entities of the actions that were found, by rule. */
  private readonly found: Set<number | string>[] = [];
  /** Actions from elsewhere, such as those of quests. */
  private readonly interned = new WeakMap<Action, GameAction>();
  private readonly commands = new Map<string, CommandText>();
  private readonly sortedCommands: CommandText[] = [];
  /** Actions and commands that have no place in the order yet. */
  private newActions: GameAction[] = [];
  private newCommands: CommandText[] = [];

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
    this.search = new RuleSearch(this.compiled, this.facts, (...match) => this.add(...match));
    this.start = game.facts.map((fact) => this.facts.intern(fact));
    this.search.begin(this.start);
  }

  /** The search for actions has reached its limits; some actions may be missing. */
  get isCutShort(): boolean {
    return this.search.isCutShort;
  }

  /** Tells the table that a fact holds; finds the actions that become thinkable by it. */
  see(fact: KnownFact): void {
    this.search.see(fact);
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

  private add(compiled: CompiledRule, before: readonly KnownFact[], entities: readonly KnownEntity[]): void {
    const { rule } = compiled;
    const found = (this.found[compiled.index] ??= new Set<number | string>());
    const key = keyOf(entities);
    if (found.has(key)) return;
    if (this.actions.length >= maximumActions) {
      this.search.isCutShort = true;
      return;
    }
    const { constants } = this.search;
    const boundTo = (slot: number) => (slot < 0 ? constants[-1 - slot] : entities[slot]) as KnownEntity;
    const after = compiled.after.map(({ name, slots }) => this.facts.fact(name, slots.map(boundTo)));
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
    found.add(key);
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
