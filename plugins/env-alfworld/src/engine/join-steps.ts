import type { Relation, Tuple } from './relation.js';

/** What a join is made for: the things of a game and its facts. */
export interface FactBase {
  /** The number of a thing; undefined if there is no such thing. */
  numberOf(name: string): number | undefined;
  /** The facts of a predicate; undefined if no fact has it, now or ever. */
  relation(predicate: string): Relation | undefined;
  /** All things of the type or of one below it, in order. */
  ofType(type: string): readonly number[];
  /** Whether a thing has the type or one below it. */
  isOfType(thing: number, type: string): boolean;
}

/** The values of variables by number; -1 as long as a variable has none. */
export type Values = number[];

/** A part of a search: goes on with `next` for every way to go on, until it returns true. */
export type Step = (values: Values, next: (values: Values) => boolean) => boolean;

/** What is known of a term when a fact is looked up. */
export interface Given {
  /** The thing of a constant. */
  readonly thing: number;
  readonly variable?: number;
}

/** A variable that gets its value from a fact. */
export interface Taken {
  readonly variable: number;
  readonly place: number;
  /** The variable stands twice in the literal. */
  readonly isRepeated: boolean;
  /** Absent if all things are of the type. */
  readonly type: string | undefined;
}

/** Tries every fact that has the given things at these places. */
export function findFacts(
  relation: Relation,
  places: number,
  given: readonly Given[],
  taken: readonly Taken[],
  facts: FactBase,
): Step {
  const partOf = partReader(relation, given);
  if (taken.length === 0) return (values, next) => relation.has(partOf(values)) && next(values);
  const accept = (tuple: Tuple, values: Values): boolean => {
    for (const { variable, place, isRepeated, type } of taken) {
      const thing = tuple.things[place] as number;
      if (isRepeated) {
        if (values[variable] !== thing) return false;
      } else {
        if (type !== undefined && !facts.isOfType(thing, type)) return false;
        values[variable] = thing;
      }
    }
    return true;
  };
  return (values, next) => {
    // A search does not change facts, so the list stays as it is.
    for (const tuple of relation.find(places, partOf(values))) {
      if (accept(tuple, values) && next(values)) return true;
    }
    return false;
  };
}

/** Goes on if there is no such fact. */
export function refuse(relation: Relation, given: readonly Given[]): Step {
  const partOf = partReader(relation, given);
  return (values, next) => !relation.has(partOf(values)) && next(values);
}

function partReader(relation: Relation, given: readonly Given[]): (values: Values) => number {
  const things = given.map(({ thing }) => thing);
  return (values) => {
    for (let index = 0; index < given.length; index += 1) {
      const { variable } = given[index] as Given;
      if (variable !== undefined) things[index] = values[variable] as number;
    }
    return relation.keyOf(things);
  };
}

/** Tries every thing for a variable. */
export function tryAll(variable: number, things: readonly number[]): Step {
  return (values, next) => {
    for (const thing of things) {
      values[variable] = thing;
      if (next(values)) return true;
    }
    return false;
  };
}
