import type { Domain, Schema } from '../pddl/domain.js';
import type { Problem } from '../pddl/problem.js';
import { shown } from '../pddl/scan-pddl.js';
import { rootType } from '../pddl/typed-names.js';
import { compareText } from '@agentgym/world-kit';
import { isFree, type Way } from '../pddl/condition.js';
import { Relation } from './relation.js';

/** What does not change while a game is played: its things with their types, its rules, and the facts of its start. */
export class Setting {
  /** Names of all things by number, in the order of Python's strings: every list of a text is in this order. */
  readonly names: readonly string[];
  /** The type of each thing. */
  readonly types: readonly string[];
  readonly schemas: readonly Schema[];
  readonly goal: readonly Way[];
  readonly goalVariables: number;
  /** Predicates that some action changes. */
  readonly fluents: ReadonlySet<string>;
  /** Predicates of which an action changes something under a condition of its own. */
  readonly conditional: ReadonlySet<string>;
  /** Facts of the start by predicate; also the predicates that get facts later. */
  readonly start: ReadonlyMap<string, Relation>;
  /** Whether a thing has a fact at the start. ALFWorld knows names of such things only. */
  readonly isMentioned: readonly boolean[];
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #above: ReadonlyMap<string, string>;
  readonly #members = new Map<string, readonly number[]>();

  constructor(domain: Domain, problem: Problem) {
    const types = new Map<string, string>();
    for (const { name, type } of [...domain.constants, ...problem.objects]) types.set(name, type);
    this.names = [...types.keys()].sort(compareText);
    this.types = this.names.map((name) => types.get(name) as string);
    this.#numbers = new Map(this.names.map((name, number) => [name, number]));
    this.#above = domain.types;
    this.schemas = domain.schemas;
    this.goal = problem.goal;
    this.goalVariables = problem.goalVariables;
    const effects = domain.schemas.flatMap((schema) => schema.effects);
    this.fluents = new Set(effects.map(({ literal }) => literal.predicate));
    this.conditional = new Set(effects.filter(isConditional).map(({ literal }) => literal.predicate));
    const { start, mentioned } = this.#readFacts(problem);
    this.start = start;
    this.isMentioned = this.names.map((_, number) => mentioned.has(number));
    this.#refuseLongTuples();
  }

  get size(): number {
    return this.names.length;
  }

  numberOf(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  ofType(type: string): readonly number[] {
    let members = this.#members.get(type);
    if (members === undefined) {
      members = this.names.flatMap((_, number) => (this.isOfType(number, type) ? [number] : []));
      this.#members.set(type, members);
    }
    return members;
  }

  isOfType(thing: number, type: string): boolean {
    return this.isTypeBelow(this.types[thing] as string, type);
  }

  /** Whether `type` is `above` or below it. */
  isTypeBelow(type: string, above: string): boolean {
    if (above === rootType) return true;
    for (let each: string | undefined = type; each !== undefined; each = this.#above.get(each)) {
      if (each === above) return true;
    }
    return false;
  }

  /** Whether things or rules of the game have this type. */
  hasType(type: string): boolean {
    return type === rootType || this.#above.has(type) || this.types.includes(type);
  }

  #readFacts({ facts }: Problem) {
    const tuples = new Map<string, number[][]>([...this.fluents].map((predicate) => [predicate, []]));
    const mentioned = new Set<number>();
    for (const { predicate, objects } of facts) {
      const things = objects.map((name) => {
        const number = this.#numbers.get(name);
        if (number !== undefined) return number;
        throw new Error(`the fact (${predicate} ${objects.join(' ')}) has ${shown(name)}, which is not in :objects`);
      });
      for (const thing of things) mentioned.add(thing);
      const known = tuples.get(predicate);
      if (known === undefined) tuples.set(predicate, [things]);
      else known.push(things);
    }
    const start = new Map([...tuples].map(([predicate, each]) => [predicate, new Relation(this.size, each)]));
    return { start, mentioned };
  }

  /** Numbers of facts have to stay exact. */
  #refuseLongTuples(): void {
    const longest = Math.floor(Math.log(Number.MAX_SAFE_INTEGER) / Math.log(this.size + 1));
    const counts = new Map<string, Set<number>>();
    const count = (predicate: string, terms: number) => {
      if (terms > longest)
        throw new Error(
          `the predicate ${predicate} has ${terms} terms; with ${this.size} objects, ${longest} are possible`,
        );
      counts.set(predicate, (counts.get(predicate) ?? new Set()).add(terms));
    };
    for (const [predicate, relation] of this.start)
      for (const { things } of relation.start) count(predicate, things.length);
    for (const { effects } of this.schemas)
      for (const { literal } of effects) count(literal.predicate, literal.terms.length);
    for (const [predicate, lengths] of counts) {
      if (lengths.size > 1)
        throw new Error(`the predicate ${predicate} has ${[...lengths].sort().join(' and ')} terms`);
    }
  }
}

function isConditional({ variables, ways }: Schema['effects'][number]): boolean {
  return variables.length > 0 || ways.length !== 1 || !isFree(ways[0] as Way);
}
