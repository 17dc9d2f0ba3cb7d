import type { KnownEntity, KnownFact } from '../logic/facts.js';
import type { Action, Entity, Fact } from '../logic/logic.js';
import { ActionTable, type GameAction } from './action-table.js';
import { Contents } from './contents.js';
import type { Game } from './game.js';

/** Which action a command means that several applicable actions print. */
export type Choice =
  /** The one that needs most facts, and of these the first: how the original follows a compiled story. */
  | 'most-needs'
  /** The first: the original's backend without a story. */
  | 'first';

const starts = new WeakMap<Game, GameState>();

/**
 * The facts of a game that is being played, and the actions that are possible now. Applying an action looks only at
 * what depends on the facts that change. See `State` in `logic/__init__.py`.
 */
export class GameState {
  readonly table: ActionTable;
  /** One bit per fact. */
  private words: Int32Array;
  /** Number of facts missing, by action. */
  private missing: Uint8Array;
  /** One bit per action: whether nothing is missing. */
  private applicable: Int32Array;
  /** How many actions of the table this state knows. */
  private known = 0;
  private where: Contents;
  private actionList: readonly GameAction[] | undefined;
  private commandList: readonly string[] | undefined;

  /** The state at the start of the game. */
  static start(game: Game): GameState {
    let start = starts.get(game);
    if (!start) starts.set(game, (start = new GameState(game)));
    start.admissible();
    return start.copy();
  }

  private constructor(
    readonly game: Game,
    from?: GameState,
  ) {
    this.table = from?.table ?? ActionTable.of(game);
    if (from) {
      this.words = from.words.slice();
      this.missing = from.missing.slice();
      this.applicable = from.applicable.slice();
      this.known = from.known;
      this.where = from.where.copy();
      this.actionList = from.actionList;
      this.commandList = from.commandList;
      return;
    }
    const { start } = this.table;
    this.words = new Int32Array((this.table.facts.facts.length >>> 5) + 1);
    for (const { index } of start) this.words[index >>> 5]! |= 1 << (index & 31);
    this.missing = new Uint8Array(0);
    this.applicable = new Int32Array(0);
    this.where = Contents.of(start, this.table.facts.entities.length);
  }

  /** All actions that are possible now, in the order of the original. The same array until a fact changes. */
  actions(): readonly GameAction[] {
    if (this.actionList) return this.actionList;
    this.catchUp();
    const { applicable } = this;
    const list: GameAction[] = [];
    for (let word = 0; word < applicable.length; word++) {
      for (let bits = applicable[word] as number; bits !== 0; bits &= bits - 1) {
        const index = (word << 5) + 31 - Math.clz32(bits & -bits);
        list.push(this.table.actions[index] as GameAction);
      }
    }
    sortByOrder(list);
    this.actionList = list;
    return list;
  }

  /** The commands of all actions that are possible now, each once, by code points of their characters. */
  admissible(): readonly string[] {
    if (this.commandList) return this.commandList;
    const texts = [];
    for (const { text } of this.actions()) if (text) texts.push(text);
    sortByOrder(texts);
    const list: string[] = [];
    for (let index = 0; index < texts.length; index++)
      if (texts[index] !== texts[index - 1]) list.push((texts[index] as { text: string }).text);
    this.commandList = list;
    return list;
  }

  has(fact: Fact): boolean {
    const known = this.table.facts.find(fact);
    return known !== undefined && this.holds(known.index);
  }

  /** Whether the fact with this number in the table holds. */
  holds(fact: number): boolean {
    return (((this.words[fact >>> 5] ?? 0) >>> (fact & 31)) & 1) !== 0;
  }

  /** All facts that hold, in the order of their numbers. */
  facts(): readonly KnownFact[] {
    return this.table.facts.facts.filter(({ index }) => this.holds(index));
  }

  isApplicable(action: GameAction): boolean {
    if (action.index < this.known) return this.missing[action.index] === 0;
    return action.needs.every((fact) => this.holds(fact));
  }

  /** The possible action that the command means; undefined if it is no admissible command. */
  actionFor(command: string, choice: Choice = 'most-needs'): GameAction | undefined {
    this.catchUp();
    const actions = this.table.command(command)?.actions;
    if (!actions) return undefined;
    return choice === 'first' ? actions.find((action) => this.isApplicable(action)) : this.neediest(actions);
  }

  /** Of some actions of the table, the possible one that needs most facts, and of these the first. */
  neediest(actions: readonly GameAction[]): GameAction | undefined {
    this.catchUp();
    let chosen: GameAction | undefined;
    for (const action of actions) {
      if (!this.isApplicable(action)) continue;
      const more = chosen ? action.before.length - chosen.before.length || chosen.order - action.order : 1;
      if (more > 0) chosen = action;
    }
    return chosen;
  }

  /** Does the action. Returns whether it was possible; if not, nothing changes. */
  apply(action: Action): boolean {
    const known = this.table.intern(action);
    if (!known || !this.isApplicable(known)) return false;
    const { adds, removes } = known;
    if (adds.length === 0 && removes.length === 0) return true;
    const { table } = this;
    this.catchUp();
    for (const fact of removes) this.clear(fact);
    for (const fact of adds) this.set(fact);
    const { facts } = table.facts;
    for (const fact of removes) this.where.remove(facts[fact] as KnownFact);
    for (const fact of adds) {
      table.see(facts[fact] as KnownFact);
      this.where.add(facts[fact] as KnownFact);
    }
    this.actionList = undefined;
    this.commandList = undefined;
    return true;
  }

  /** What is in, on or at the entity, in the order of printing: what was moved last comes first. */
  contents(holder: Entity): readonly KnownEntity[] {
    const known = this.table.facts.findEntity(holder.id);
    return known ? this.where.within(known, this.table.facts.entities) : [];
  }

  /** Where the entity is; undefined if nowhere. */
  holder(thing: Entity): KnownEntity | undefined {
    const known = this.table.facts.findEntity(thing.id);
    return known && this.where.holder(known, this.table.facts.entities);
  }

  /** A state of its own, equal to this one. */
  copy(): GameState {
    return new GameState(this.game, this);
  }

  /** Equal for two states of a game exactly if the same facts hold and things are printed in the same order. */
  key(): string {
    return `${this.factsKey()}${this.where.key()}`;
  }

  /** Equal for two states of a game exactly if the same facts hold. */
  factsKey(): string {
    const { words } = this;
    let length = words.length;
    while (length > 0 && words[length - 1] === 0) length--;
    let key = String.fromCharCode(length);
    for (let word = 0; word < length; word++) {
      const bits = words[word] as number;
      // Of 16 bits, some would be half of a character, and digests take all halves for the same.
      key += String.fromCharCode(bits & 0x7ff, (bits >>> 11) & 0x7ff, bits >>> 22);
    }
    return key;
  }

  private set(fact: number): void {
    const word = fact >>> 5;
    if (word >= this.words.length) this.words = grown(this.words, word + 1);
    const bit = 1 << (fact & 31);
    if (((this.words[word] as number) & bit) !== 0) return;
    this.words[word]! |= bit;
    const users = this.table.usersOf[fact];
    if (!users) return;
    for (const { index } of users) {
      if (index >= this.known) continue;
      if (--this.missing[index]! === 0) this.applicable[index >>> 5]! |= 1 << (index & 31);
    }
  }

  private clear(fact: number): void {
    const word = fact >>> 5;
    const bit = 1 << (fact & 31);
    if (((this.words[word] ?? 0) & bit) === 0) return;
    this.words[word]! &= ~bit;
    const users = this.table.usersOf[fact];
    if (!users) return;
    for (const { index } of users) {
      if (index >= this.known) continue;
      if (this.missing[index]!++ === 0) this.applicable[index >>> 5]! &= ~(1 << (index & 31));
    }
  }

  /** Takes account of actions that were found since. */
  private catchUp(): void {
    const { actions } = this.table;
    if (this.known === actions.length) return;
    this.table.settle();
    if (actions.length > this.missing.length) {
      const capacity = Math.max(64, actions.length, this.missing.length * 2);
      this.missing = grown(this.missing, capacity);
      this.applicable = grown(this.applicable, (capacity >>> 5) + 1);
    }
    for (; this.known < actions.length; this.known++) {
      let missing = 0;
      for (const fact of (actions[this.known] as GameAction).needs) if (!this.holds(fact)) missing++;
      this.missing[this.known] = missing;
      if (missing === 0) this.applicable[this.known >>> 5]! |= 1 << (this.known & 31);
    }
  }
}

function grown<Numbers extends Int32Array | Uint8Array>(numbers: Numbers, length: number): Numbers {
  const result = new (numbers.constructor as new (length: number) => Numbers)(length);
  result.set(numbers);
  return result;
}

/** Sorts in place; lists are short and often nearly sorted. */
function sortByOrder(list: { readonly order: number }[]): void {
  if (list.length > 48) {
    list.sort((one, other) => one.order - other.order);
    return;
  }
  for (let index = 1; index < list.length; index++) {
    const item = list[index] as { readonly order: number };
    const { order } = item;
    let place = index;
    while (place > 0 && (list[place - 1] as { readonly order: number }).order > order) {
      list[place] = list[place - 1] as { readonly order: number };
      place--;
    }
    list[place] = item;
  }
}
