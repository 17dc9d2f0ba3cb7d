import { isFree, type Literal, type Term } from '../pddl/condition.js';
import type { Schema } from '../pddl/domain.js';
import { beginStep } from './effort.js';
import { Join, planWays } from './join.js';
import type { Values } from './join-steps.js';
import type { Relation } from './relation.js';
import type { State } from './state.js';

/** An action of the domain with things for its parameters. It is one object for as long as its `Actions` exist. */
export interface GroundAction {
  readonly schema: Schema;
  /** The thing of each parameter. */
  readonly things: readonly number[];
}

/** A fact that an action makes true or false. */
interface Change {
  readonly predicate: string;
  readonly things: readonly number[];
  readonly adds: boolean;
}

export interface ActionsOptions {
  /**
   * Actions that can change nothing are not offered, as in Fast Downward: going to a receptacle at the place where the
   * agent already is.
   */
  readonly dropIdle: boolean;
}

/** The actions of a game in a state that changes. */
export class Actions {
  readonly #state: State;
  readonly #groups: readonly SchemaActions[];
  readonly #goal: readonly Join[];
  readonly #goalValues: Values;

  constructor(state: State, options: ActionsOptions) {
    this.#state = state;
    const { schemas, goal, goalVariables } = state.setting;
    this.#groups = schemas.map((schema) => new SchemaActions(schema, state, options));
    this.#goal = planWays(goal, new Map(), [], state);
    this.#goalValues = emptyValues(goalVariables);
  }

  /** Predicates whose facts decide what can be done and when the game is won. */
  get reads(): ReadonlySet<string> {
    return new Set([...this.#groups, ...this.#goal].flatMap(({ reads }) => [...reads]));
  }

  /** All actions that are possible now, always in the same order in the same state. */
  applicable(): readonly GroundAction[] {
    beginStep();
    return this.#groups.flatMap((group) => group.applicable());
  }

  isWon(): boolean {
    beginStep();
    return this.#goal.some((join) => join.isMet(this.#goalValues));
  }

  /** Changes the state. The action must be applicable. */
  apply(action: GroundAction): void {
    beginStep();
    const group = this.#groups.find(({ schema }) => schema === action.schema);
    group?.apply(action, this.#state);
  }
}

interface CompiledEffect {
  readonly literal: Literal;
  readonly adds: boolean;
  /** Absent if the effect always happens. */
  readonly joins: readonly Join[] | undefined;
  readonly hasVariables: boolean;
}

class SchemaActions {
  readonly schema: Schema;
  readonly reads: ReadonlySet<string>;
  readonly #joins: readonly { readonly join: Join; readonly needs: readonly Literal[] }[];
  readonly #relations: readonly Relation[];
  readonly #effects: readonly CompiledEffect[];
  readonly #values: Values;
  readonly #options: ActionsOptions;
  readonly #state: State;
  readonly #known = new Map<string | number, GroundAction>();
  readonly #base: number;
  readonly #isWide: boolean;
  #list: readonly GroundAction[] = [];
  #version = -1;

  constructor(schema: Schema, state: State, options: ActionsOptions) {
    this.schema = schema;
    this.#state = state;
    this.#options = options;
    const { parameters, ways, effects } = schema;
    const types = new Map(parameters.map(({ type }, number) => [number, type]));
    this.#joins = ways.flatMap((way) => {
      const join = Join.plan(way, types, [], state);
      return join === undefined ? [] : [{ join, needs: way.positive }];
    });
    const reads = new Set(this.#joins.flatMap(({ join }) => [...join.reads]));
    this.#effects = effects.map((effect) => {
      const isPlain = effect.variables.length === 0 && effect.ways.length === 1 && effect.ways.every(isFree);
      const inner = new Map(effect.variables.map(({ number, type }) => [number, type]));
      return {
        literal: effect.literal,
        adds: effect.adds,
        joins: isPlain ? undefined : planWays(effect.ways, inner, types.keys(), state),
        hasVariables: effect.variables.length > 0,
      };
    });
    for (const { joins = [] } of this.#effects)
      for (const join of joins) for (const each of join.reads) reads.add(each);
    this.reads = reads;
    this.#relations = [...new Set(this.#joins.flatMap(({ join }) => [...join.reads]))]
      .filter((predicate) => state.setting.fluents.has(predicate))
      .map((predicate) => state.relation(predicate) as Relation);
    this.#values = emptyValues(schema.variables);
    this.#base = state.setting.size + 1;
    this.#isWide = this.#base ** parameters.length > Number.MAX_SAFE_INTEGER;
  }

  applicable(): readonly GroundAction[] {
    let version = 0;
    for (const relation of this.#relations) version += relation.version;
    // Versions only grow, so their sum tells whether one has changed.
    if (version === this.#version) return this.#list;
    const found = new Set<GroundAction>();
    for (const { join, needs } of this.#joins) {
      join.search(this.#values, () => {
        if (!this.#options.dropIdle || !this.#isIdle(needs)) found.add(this.#ground());
        return false;
      });
    }
    this.#version = version;
    this.#list = [...found];
    return this.#list;
  }

  apply({ things }: GroundAction, state: State): void {
    things.forEach((thing, parameter) => (this.#values[parameter] = thing));
    const changes: Change[] = [];
    for (const effect of this.#effects) {
      if (effect.joins === undefined) changes.push(this.#change(effect));
      else
        for (const join of effect.joins) join.search(this.#values, () => (changes.push(this.#change(effect)), false));
    }
    const told = this.#toldChanges();
    for (const { adds, predicate, things } of changes) if (!adds) state.set(predicate, things, false);
    for (const { adds, predicate, things } of changes) if (adds) state.set(predicate, things, true);
    for (const { adds, predicate, things } of told) state.tell(predicate, things, adds);
  }

  /**
   * Fast Downward's translation names every effect of an action, whatever its condition, and ALFWorld's texts are told
   * all of them: what is made false after what is made true. Only an effect that makes a fact true without a condition
   * replaces one that makes it false.
   */
  #toldChanges(): readonly Change[] {
    const plain = this.#effects.filter(({ hasVariables }) => !hasVariables);
    const certain = new Set(
      plain.filter(({ adds, joins }) => adds && joins === undefined).map((effect) => nameOf(this.#change(effect))),
    );
    const changes = plain.map((effect) => this.#change(effect));
    return [
      ...changes.filter(({ adds }) => adds),
      ...changes.filter((change) => !change.adds && !certain.has(nameOf(change))),
    ];
  }

  #change({ literal, adds }: CompiledEffect): Change {
    return { predicate: literal.predicate, things: this.#thingsOf(literal.terms), adds };
  }

  #thingsOf(terms: readonly Term[]): number[] {
    return terms.map((term) => (typeof term === 'number' ? this.#values[term] : this.#state.numberOf(term)) as number);
  }

  /** Whether every effect makes true what the condition already demands to be true. */
  #isIdle(needs: readonly Literal[]): boolean {
    const added = this.#effects.filter(({ adds, joins }) => adds && joins === undefined).map(({ literal }) => literal);
    return this.#effects.every(({ literal, adds, joins }) => {
      if (joins !== undefined) return false;
      return this.#isAmong(literal, adds ? needs : added);
    });
  }

  #isAmong({ predicate, terms }: Literal, literals: readonly Literal[]): boolean {
    const things = this.#thingsOf(terms);
    return literals.some(
      (other) =>
        other.predicate === predicate && this.#thingsOf(other.terms).every((thing, place) => thing === things[place]),
    );
  }

  /** The one object of the action with the present values. */
  #ground(): GroundAction {
    const things = this.#values.slice(0, this.schema.parameters.length);
    const key = this.#isWide ? things.join() : things.reduce((sum, thing) => sum * this.#base + thing, 0);
    let action = this.#known.get(key);
    if (action === undefined) {
      action = { schema: this.schema, things };
      this.#known.set(key, action);
    }
    return action;
  }
}

function nameOf({ predicate, things }: Change): string {
  return `${predicate} ${things.join()}`;
}

function emptyValues(count: number): Values {
  return Array.from({ length: count }, () => -1);
}
