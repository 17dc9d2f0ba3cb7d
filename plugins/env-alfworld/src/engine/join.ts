import type { Literal, Term, Way } from '../pddl/condition.js';
import { countTry } from './effort.js';
import {
  findFacts,
  refuse,
  tryAll,
  type FactBase,
  type Given,
  type Step,
  type Taken,
  type Values,
} from './join-steps.js';

/** Called for each solution; `true` ends the search. */
type Visit = () => boolean;

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
  static plan(
    way: Way,
    types: ReadonlyMap<number, string>,
    known: Iterable<number>,
    facts: FactBase,
  ): Join | undefined {
    const planner = new Planner(way, new Map(types), new Set(known), facts);
    const steps = planner.plan();
    return steps && new Join(steps, planner.reads);
  }

  /** Calls `visit` for each solution, with the values in place. Returns whether a call ended the search. */
  search(values: Values, visit: Visit): boolean {
    const steps = this.#steps;
    const run = (index: number): boolean => {
      countTry();
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
  facts: FactBase,
): readonly Join[] {
  const before = [...known];
  return ways.flatMap((way) => Join.plan(way, types, before, facts) ?? []);
}

class Planner {
  readonly reads = new Set<string>();
  readonly #way: Way;
  readonly #types: Map<number, string>;
  readonly #known: Set<number>;
  readonly #facts: FactBase;
  /** Tests that wait for values of their variables. */
  #tests: { readonly needs: readonly number[]; readonly step: () => Step }[] = [];
  readonly #steps: Step[] = [];

  constructor(way: Way, types: Map<number, string>, known: Set<number>, facts: FactBase) {
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

function variablesOf(terms: readonly Term[]): number[] {
  return terms.filter((term) => typeof term === 'number');
}

function freeVariables(way: Way): number[] {
  const literals = [...way.positive, ...way.negative].flatMap(({ terms }) => variablesOf(terms));
  const pairs = [...way.equal, ...way.different].flatMap((pair) => variablesOf(pair));
  const own = new Set(way.variables.map(({ number }) => number));
  return [...literals, ...pairs, ...way.never.flat().flatMap(freeVariables)].filter((variable) => !own.has(variable));
}
