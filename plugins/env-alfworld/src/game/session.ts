import { Actions, type GroundAction } from '../engine/actions.js';
import { beginStep } from '../engine/effort.js';
import { State, type FactChanges } from '../engine/state.js';
import { derive, deriveIntro, type Printed, type Telling } from '../text/derive.js';
import type { Part } from '../text/parts.js';
import type { ActionText } from '../text/grammar.js';
import type { Compat } from './compat.js';
import type { Game } from './game.js';
import { mendCommand, stripCommand } from './read-command.js';

/** The answer to a command. */
export interface Reply {
  readonly text: string;
  /** The action that the command was; absent if it was none. */
  readonly action?: GroundAction;
  readonly won: boolean;
}

export interface SessionSnapshot {
  readonly facts: FactChanges;
  readonly moves: number;
}

const nothingHappens = 'Nothing happens.';

/** The commands of a state: what each of them does, and their list as texts. */
interface Commands {
  readonly actions: ReadonlyMap<string, GroundAction>;
  readonly sorted: readonly string[];
}

/** A game in play. */
export class Session {
  readonly game: Game;
  readonly state: State;
  readonly #actions: Actions;
  readonly #compat: Compat;
  readonly #telling: Telling;
  /** Commands of actions whose texts depend on nothing that changes. */
  readonly #written = new Map<GroundAction, string>();
  readonly #isFixed = new Map<string, boolean>();
  #commands: Commands | undefined;
  #moves = 0;
  /** Predicates that an action, the goal or a text depends on. */
  #reads: ReadonlySet<string> | undefined;

  constructor(game: Game, compat: Compat) {
    this.game = game;
    this.#compat = compat;
    this.state = new State(game.setting, compat !== 'corrected');
    this.#actions = new Actions(this.state, { dropIdle: compat !== 'corrected' });
    const { names, types } = game.setting;
    const printed = game.names.map((name, thing): Printed => ({ name, id: names[thing]!, type: types[thing]! }));
    this.#telling = {
      grammar: game.grammar,
      facts: this.state.asTold(),
      printed: (thing) => printed[thing] as Printed,
    };
    for (const { name } of game.setting.schemas)
      this.#isFixed.set(name, this.#isFixedText(this.#textOf(name).template));
  }

  /** Commands that did something. */
  get moves(): number {
    return this.#moves;
  }

  isWon(): boolean {
    return this.#actions.isWon();
  }

  /** Starts the game again; returns its first text. */
  start(): string {
    beginStep();
    this.state.reset();
    this.#commands = undefined;
    this.#moves = 0;
    return deriveIntro(this.#telling);
  }

  act(command: string): Reply {
    beginStep();
    const { actions } = this.#list();
    const plain = stripCommand(command);
    const known =
      this.#compat === 'corrected' && !actions.has(plain) ? mendCommand(plain, (each) => actions.has(each)) : plain;
    const action = actions.get(known);
    if (action === undefined) return { text: nothingHappens, won: this.isWon() };
    this.perform(action);
    this.#moves += 1;
    return { text: this.#feedback(action), action, won: this.isWon() };
  }

  /** Does an action without a word about it. */
  perform(action: GroundAction): void {
    beginStep();
    this.#actions.apply(action);
    this.#commands = undefined;
  }

  applicable(): readonly GroundAction[] {
    beginStep();
    return this.#actions.applicable();
  }

  /** Commands that do something now, sorted. */
  admissible(): readonly string[] {
    return this.#list().sorted;
  }

  /** The command of an action that is possible now. */
  commandOf(action: GroundAction): string {
    const known = this.#written.get(action);
    if (known !== undefined) return known;
    const { template } = this.#textOf(action.schema.name);
    const command = derive(template, bindingsOf(action), this.#telling);
    if (this.#isFixed.get(action.schema.name) === true) this.#written.set(action, command);
    return command;
  }

  /** What an action would answer now, if it is possible. It does not happen. */
  textOf(schemaName: string): string | undefined {
    const action = this.applicable().find(({ schema }) => schema.name === schemaName);
    return action && this.#feedback(action);
  }

  snapshot(): SessionSnapshot {
    return { facts: this.state.changes(), moves: this.#moves };
  }

  restore({ facts, moves }: SessionSnapshot): void {
    this.state.restore(facts);
    this.#commands = undefined;
    this.#moves = moves;
  }

  /** Equal for two states exactly if the same can be done, and with the same answers. */
  key(): string {
    const reads = (this.#reads ??= this.#countedPredicates());
    return this.state.key((predicate) => reads.has(predicate));
  }

  #countedPredicates(): ReadonlySet<string> {
    const reads = new Set(this.#actions.reads);
    for (const rules of this.game.grammar.productions.values()) {
      for (const { condition = [], parts } of rules) {
        for (const { predicate } of condition) reads.add(predicate);
        for (const part of parts)
          if (part.kind === 'each') for (const { predicate } of part.query ?? []) reads.add(predicate);
      }
    }
    for (const { template } of this.game.grammar.actions.values()) {
      for (const part of template)
        if (part.kind === 'each') for (const { predicate } of part.query ?? []) reads.add(predicate);
    }
    return reads;
  }

  #textOf(schemaName: string): ActionText {
    return this.game.grammar.actions.get(schemaName) as ActionText;
  }

  #feedback(action: GroundAction): string {
    // At the start, ALFWorld's `look` asks for receptacles at the place of the agent, where none is. Without that place
    // it prints what the first text prints.
    const isLook = this.#compat === 'corrected' && action.schema.name === 'look';
    return derive(this.#textOf(action.schema.name).feedback, isLook ? new Map() : bindingsOf(action), this.#telling);
  }

  #list(): Commands {
    if (this.#commands !== undefined) return this.#commands;
    const actions = new Map<string, GroundAction>();
    for (const action of this.applicable()) {
      const command = this.commandOf(action);
      // Of several actions with one command, the first happens.
      if (!actions.has(command)) actions.set(command, action);
    }
    this.#commands = { actions, sorted: [...actions.keys()].sort() };
    return this.#commands;
  }

  /** Whether a template asks nothing of facts that change. */
  #isFixedText(parts: readonly Part[]): boolean {
    const { fluents } = this.game.setting;
    return parts.every((part) => {
      if (part.kind === 'symbol') return false;
      if (part.kind !== 'each') return true;
      const isPlain = part.item.kind === 'value';
      return (
        isPlain && (part.query ?? []).every(({ predicate }) => !fluents.has(predicate) && !predicate.startsWith('not_'))
      );
    });
  }
}

/** The things of an action by the placeholders of its parameters. */
function bindingsOf({ schema, things }: GroundAction): ReadonlyMap<string, number> {
  return new Map(schema.parameters.map(({ name, type }, place) => [`${name}:${type}`, things[place] as number]));
}
