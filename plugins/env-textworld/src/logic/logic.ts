// The words of TextWorld's logic: entities, facts, rules with placeholders, and rules applied to entities.

/** An entity. The constants of the logic, the player `P` and the inventory `I`, are named like their types. */
export interface Entity {
  readonly id: string;
  readonly type: string;
}

/** Something that holds between entities: `in(o_0, c_1)`. */
export interface Fact {
  readonly name: string;
  readonly entities: readonly Entity[];
}

/** A place in a rule for an entity of `type` or of a type below it. Different placeholders take different entities. */
export interface Placeholder {
  readonly name: string;
  readonly type: string;
}

/** A fact with placeholders. */
export interface Pattern {
  readonly name: string;
  readonly placeholders: readonly Placeholder[];
}

/** What may happen: facts before and after it. A fact that is in both is needed and kept. */
export interface Rule {
  readonly name: string;
  readonly before: readonly Pattern[];
  readonly after: readonly Pattern[];
  /** All placeholders, in the order of their first appearance in `before`, then in `after`. */
  readonly placeholders: readonly Placeholder[];
  /** `take {o} from {c}`; absent if no command does it. */
  readonly command?: string;
  /** Name of the rule that undoes this one. */
  readonly reverse?: string;
}

/** A rule applied to entities. */
export interface Action {
  /** The name of its rule. */
  readonly rule: string;
  readonly before: readonly Fact[];
  readonly after: readonly Fact[];
  /** The command, with ids of entities in braces: `take {o_0} from {c_1}`. */
  readonly command?: string;
}

/** The types of a game, from the text of its logic. */
export interface Types {
  /** In alphabetical order. */
  readonly names: readonly string[];
  /** The type and all types below it, a type before those below it, otherwise in alphabetical order. */
  withBelow(type: string): readonly string[];
  /** The types right below, in alphabetical order. */
  below(type: string): readonly string[];
  isA(type: string, ancestor: string): boolean;
}

/**
 * All that the text of a logic (`.twl`) says. Rules and constraints have their aliases expanded, and are in the order
 * of their names, which is the order in which the original tries them.
 */
export interface Logic {
  readonly types: Types;
  /** Names of all facts that are declared or that a rule or constraint mentions. */
  readonly factNames: ReadonlySet<string>;
  readonly rules: ReadonlyMap<string, Rule>;
  readonly constraints: readonly Rule[];
  /** Text that a room type, thing or rule gives to Inform, by kind; what the replies of a game depend on. */
  readonly inform: {
    /** What Inform calls doing a rule: `opening the {c}`, by rule. */
    readonly events: ReadonlyMap<string, string>;
    /** What Inform calls a type: `container`, and sentences about all its things, by type. */
    readonly kinds: ReadonlyMap<string, { readonly kind: string; readonly definition?: string }>;
    /** How Inform says a fact: `The {o} is on the {s}`; an empty sentence if it knows no such thing. */
    readonly sentences: readonly { readonly pattern: Pattern; readonly sentence: string }[];
    /** Inform source of the logic itself, as in cooking games; empty if there is none. */
    readonly code: string;
  };
  /** The text that was parsed. */
  readonly text: string;
}
