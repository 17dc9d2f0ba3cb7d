import type { Literal, Term, Way } from '../pddl/condition.js';
import type { Relation, Tuple } from './relation.js';

/** What a join is made for: the things of a game and its facts. */
export interface Facts {
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

/** Called for each solution; `true` ends the search. */
type Visit = () => boolean;
type Step = (values: Values, next: (values: Values) => boolean) => boolean;

/**
 * Finds all values of variables with which a way to meet a condition is met. It looks up the most selective predicate
 * first, and each further one by the things that are known by then.
 */
export class Join {
  readonly #steps: readonly Step[];
  /** Predicates whose facts decide about the solutions. */
  readonly reads: ReadonlySet<string>;

  private constructor(steps: readonly Step[], reads: ReadonlySet<string>) {
    this.#steps = steps;
    this.reads = reads;
  }

  /** `known` are variables that have values before the search; undefined if nothing can ever meet the condition. */
  static plan(way: Way, types: ReadonlyMap<number, string>, known: Iterable<number>, facts: Facts): Join | undefined {
    const planner = new Planner(way, new Map(types), new Set(known), facts);
    const steps = planner.plan();
    return steps && new Join(steps, planner.reads);
  }

  /** Calls `visit` for each solution, with the values in place. Returns whether a call ended the search. */
  search(values: Values, visit: Visit): boolean {
    const steps = this.#steps;
    const run = (index: number): boolean => {
      const step = steps[index];
      return step === undefined ? visit() : step(values, () => run(index + 1));
    };
    return run(0);
  }

  isMet(values: Values): boolean {
    return this.search(values, stop);
  }
}

const stop = () => true;

/** The joins of all ways, without those that nothing can meet. */
export function planWays(
  ways: readonly Way[],
  types: ReadonlyMap<number, string>,
  known: Iterable<number>,
  facts: Facts,
): readonly Join[] {
  const before = [...known];
  return ways.flatMap((way) => Join.plan(way, types, before, facts) ?? []);
}

class Planner {
  readonly reads = new Set<string>();
  readonly #way: Way;
  readonly #types: Map<number, string>;
  readonly #known: Set<number>;
  readonly #facts: Facts;
  /** Tests that wait for values of their variables. */
  #tests: { readonly needs: readonly number[]; readonly step: () => Step }[] = [];
  readonly #steps: Step[] = [];

  constructor(way: Way, types: Map<number, string>, known: Set<number>, facts: Facts) {
    this.#way = way;
    this.#types = types;
    this.#known = known;
    this.#facts = facts;
    for (const { number, type } of way.variables) types.set(number, type);
  }

  plan(): readonly Step[] | undefined {
    // A type without things, such as a misspelled one, has no values.
    for (const [variable, type] of this.#types) {
      if (!this.#known.has(variable) && this.#facts.ofType(type).length === 0) return undefined;
    }
    for (const literal of this.#way.negative) this.#refuse(literal);
    for (const pair of this.#way.equal) this.#compare(pair, true);
    for (const pair of this.#way.different) this.#compare(pair, false);
    for (const ways of this.#way.never) this.#never(ways);
    this.#addTests();
    const waiting = new Set(this.#way.positive);
    while (waiting.size > 0) {
      const literal = this.#cheapest(waiting);
      waiting.delete(literal);
      if (!this.#match(literal)) return undefined;
      this.#addTests();
    }
    for (const [variable, type] of this.#types) {
      if (this.#known.has(variable)) continue;
      this.#steps.push(tryAll(variable, this.#facts.ofType(type)));
      this.#known.add(variable);
      this.#addTests();
    }
    return this.#steps;
  }

  /** The literal with the fewest expected facts per value of what is known. */
  #cheapest(literals: Iterable<Literal>): Literal {
    let best: Literal | undefined;
    let least = Infinity;
    for (const literal of literals) {
      const relation = this.#facts.relation(literal.predicate);
      const places = this.#knownPlaces(literal.terms);
      const expected = relation === undefined || relation.size === 0 ? 0 : relation.size / relation.index(places).size;
      if (best === undefined || expected < least) [best, least] = [literal, expected];
    }
    return best as Literal;
  }

  #knownPlaces(terms: readonly Term[]): number {
    return terms.reduce<number>(
      (places, term, place) => (typeof term === 'string' || this.#known.has(term) ? places | (1 << place) : places),
      0,
    );
  }

  /** Adds a step that finds the facts of a literal. Returns false if there cannot be any. */
  #match({ predicate, terms }: Literal): boolean {
    const relation = this.#facts.relation(predicate);
    const found = this.#resolve(terms);
    if (relation === undefined || found === undefined) return false;
    this.reads.add(predicate);
    const places = this.#knownPlaces(terms);
    const given: Given[] = [];
    const taken: Taken[] = [];
    found.forEach((term, place) => {
      if ((places & (1 << place)) !== 0) given.push(term);
      else taken.push(this.#take(term.variable as number, place));
    });
    this.#steps.push(findFacts(relation, places, given, taken, this.#facts));
    return true;
  }

  #take(variable: number, place: number): Taken {
    const isRepeated = this.#known.has(variable);
    this.#known.add(variable);
    const type = this.#types.get(variable) as string;
    return {
      variable,
      place,
      isRepeated,
      type: this.#facts.ofType(type).length === this.#facts.ofType('object').length ? undefined : type,
    };
  }

  /** The things of constants; undefined if one of them is no thing of this game. */
  #resolve(terms: readonly Term[]): readonly Given[] | undefined {
    const given: Given[] = [];
    for (const term of terms) {
      const thing = typeof term === 'string' ? this.#facts.numberOf(term) : -1;
      if (thing === undefined) return undefined;
      given.push(typeof term === 'string' ? { thing } : { thing, variable: term });
    }
    return given;
  }

  #refuse({ predicate, terms }: Literal): void {
    const relation = this.#facts.relation(predicate);
    const given = this.#resolve(terms);
    if (relation === undefined || given === undefined) return;
    this.reads.add(predicate);
    this.#tests.push({ needs: variablesOf(terms), step: () => refuse(relation, given) });
  }

  #compare([left, right]: readonly [Term, Term], isEqual: boolean): void {
    const valueOf = (term: Term) => {
      if (typeof term === 'number') return (values: Values) => values[term];
      const thing = this.#facts.numberOf(term);
      return () => thing;
    };
    const [one, other] = [valueOf(left), valueOf(right)];
    const step = (): Step => (values, next) => (one(values) === other(values)) === isEqual && next(values);
    this.#tests.push({ needs: variablesOf([left, right]), step });
  }

  #never(ways: readonly Way[]): void {
    const inner = new Set(ways.flatMap(({ variables }) => variables.map(({ number }) => number)));
    const needs = [...new Set(ways.flatMap(freeVariables))].filter((variable) => !inner.has(variable));
    this.#tests.push({
      needs,
      step: () => {
        const joins = planWays(ways, new Map(), needs, this.#facts);
        for (const { reads } of joins) for (const predicate of reads) this.reads.add(predicate);
        return (values, next) => !joins.some((join) => join.isMet(values)) && next(values);
      },
    });
  }

  /** Adds the tests whose variables all have values. */
  #addTests(): void {
    this.#tests = this.#tests.filter(({ needs, step }) => {
      if (!needs.every((variable) => this.#known.has(variable))) return true;
      this.#steps.push(step());
      return false;
    });
  }
}

interface Given {
  /** The thing of a constant. */
  readonly thing: number;
  readonly variable?: number;
}

interface Taken {
  readonly variable: number;
  readonly place: number;
  /** The variable stands twice in the literal. */
  readonly isRepeated: boolean;
  /** Absent if all things are of the type. */
  readonly type: string | undefined;
}

function findFacts(
  relation: Relation,
  places: number,
  given: readonly Given[],
  taken: readonly Taken[],
  facts: Facts,
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

function refuse(relation: Relation, given: readonly Given[]): Step {
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

function tryAll(variable: number, things: readonly number[]): Step {
  return (values, next) => {
    for (const thing of things) {
      values[variable] = thing;
      if (next(values)) return true;
    }
    return false;
  };
}

function variablesOf(terms: readonly Term[]): number[] {
  return terms.filter((term) => typeof term === 'number');
}

function freeVariables(way: Way): number[] {
  const literals = [...way.positive, ...way.negative].flatMap(({ terms }) => variablesOf(terms));
  const pairs = [...way.equal, ...way.different].flatMap((pair) => variablesOf(pair));
  const own = new Set(way.variables.map(({ number }) => number));
  return [...literals, ...pairs, ...way.never.flat().flatMap(freeVariables)].filter((variable) => !own.has(variable));
}
