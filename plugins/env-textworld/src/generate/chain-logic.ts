// A logic, prepared for chaining backwards: numbered types and facts, and rules turned around.
import type { Logic, Pattern, Placeholder, Rule } from '../logic/logic.js';
import type { NumberedPattern } from './numbered-facts.js';
import { compareText } from '@agentgym/world-kit';

/**
 * A rule as chaining applies it, from later to earlier: it takes back what `forward` does. It is the reverse rule where
 * there is one, and has its name then.
 */
export interface BackwardRule {
  readonly name: string;
  readonly forward: Rule;
  /** The player walks. */
  readonly isWalk: boolean;
  readonly placeholders: readonly NumberedPlaceholder[];
  readonly before: readonly NumberedPattern[];
  readonly after: readonly NumberedPattern[];
  readonly added: readonly NumberedPattern[];
  readonly removed: readonly NumberedPattern[];
  /** Slot of the room where the player is, or -1: chaining always fills it with that room. */
  readonly roomSlot: number;
  /** Facts of `before` that chaining has to look up: all but where the player is. */
  readonly checked: readonly NumberedPattern[];
}

interface NumberedPlaceholder extends Placeholder {
  readonly typeNumber: number;
  /** The number of the player or inventory, which are the only entities of their types; -1 for other placeholders. */
  readonly constant: number;
}

/** A fact of a constraint is found first, then the others; ordered so that as many entities as possible are known. */
export interface SeededConstraint {
  readonly slotTypes: readonly number[];
  readonly seed: NumberedPattern;
  readonly rest: readonly NumberedPattern[];
}

export interface ChainLogic {
  readonly logic: Logic;
  readonly typeNumbers: ReadonlyMap<string, number>;
  /** Types with a capital letter, such as the player. Each has one entity of the same name, whose number is its place. */
  readonly constants: readonly string[];
  /** Numbers of a type and of all above it, by type. */
  readonly withAbove: readonly (readonly number[])[];
  /** `isA[type * typeCount + ancestor]` is 1 if the type is the ancestor or below it. */
  readonly isA: Uint8Array;
  /** Names of facts, by number; the same name with more entities is another one. */
  readonly predicates: readonly string[];
  readonly predicateNumbers: ReadonlyMap<string, number>;
  readonly width: number;
  /** Ordered by their names. */
  readonly rules: readonly BackwardRule[];
  /** Constraints by the number of the fact's name that a seed has. */
  readonly seededBy: readonly (readonly SeededConstraint[])[];
  /** Each constraint once. */
  readonly constraints: readonly SeededConstraint[];
}

const prepared = new WeakMap<Logic, ChainLogic>();

/** Prepares a logic; the same logic gives the same object. */
export function chainLogic(logic: Logic): ChainLogic {
  let known = prepared.get(logic);
  if (!known) prepared.set(logic, (known = new Preparation(logic).result()));
  return known;
}

/** Identifies the name of a fact together with how many entities it has. */
export function predicateKey(name: string, entityCount: number): string {
  return `${name}/${entityCount}`;
}

class Preparation {
  private readonly typeNumbers: Map<string, number>;
  private readonly constants: readonly string[];
  private readonly predicates: string[] = [];
  private readonly predicateNumbers = new Map<string, number>();
  private width = 1;

  constructor(private readonly logic: Logic) {
    this.typeNumbers = new Map(logic.types.names.map((name, index) => [name, index]));
    this.constants = logic.types.names.filter(isConstant);
  }

  result(): ChainLogic {
    const { logic, typeNumbers } = this;
    const { names } = logic.types;
    const rules = [...logic.rules.values()]
      .map((rule) => this.backward(rule))
      .sort((left, right) => compareText(left.name, right.name));
    const seeded = logic.constraints.map((constraint) => this.seeded(constraint));
    const seededBy: SeededConstraint[][] = this.predicates.map(() => []);
    for (const constraint of seeded.flat()) seededBy[constraint.seed.predicate]?.push(constraint);
    return {
      logic,
      typeNumbers,
      constants: this.constants,
      withAbove: names.map((name) => [...typeNumbers].filter(([above]) => logic.types.isA(name, above)).map(second)),
      isA: Uint8Array.from(names.flatMap((name) => names.map((above) => Number(logic.types.isA(name, above))))),
      predicates: this.predicates,
      predicateNumbers: this.predicateNumbers,
      width: this.width,
      rules,
      seededBy,
      constraints: seeded.flatMap((all) => all.slice(0, 1)),
    };
  }

  private backward(forward: Rule): BackwardRule {
    const reverse = forward.reverse === undefined ? undefined : this.logic.rules.get(forward.reverse);
    const before = reverse ? reverse.before : forward.after;
    const after = reverse ? reverse.after : forward.before;
    const placeholders = inOrderOfAppearance([...before, ...after]);
    const numbered = placeholders.map((placeholder) => ({
      ...placeholder,
      typeNumber: this.typeNumbers.get(placeholder.type) as number,
      constant: placeholder.name === placeholder.type ? this.constants.indexOf(placeholder.type) : -1,
    }));
    const playerFact = before.find((pattern) => pattern.name === 'at' && typesOf(pattern) === 'P,r');
    const room = playerFact?.placeholders.at(-1);
    const roomSlot = room ? slotOf(placeholders, room) : -1;
    const number = (patterns: readonly Pattern[]): NumberedPattern[] =>
      patterns.map((pattern) => this.pattern(pattern, placeholders));
    const without = (patterns: readonly Pattern[], others: readonly Pattern[]): NumberedPattern[] =>
      number(patterns.filter((pattern) => !others.some((other) => samePattern(pattern, other))));
    return {
      name: reverse ? reverse.name : forward.name,
      forward,
      isWalk: (reverse ? reverse.name : forward.name).startsWith('go/'),
      placeholders: numbered,
      before: number(before),
      after: number(after),
      added: without(after, before),
      removed: without(before, after),
      roomSlot,
      checked: number(before.filter((pattern) => pattern !== playerFact)),
    };
  }

  /** The constraint once per fact that may be the new one. */
  private seeded(constraint: Rule): SeededConstraint[] {
    const placeholders = inOrderOfAppearance(constraint.before);
    const slotTypes = placeholders.map(({ type }) => this.typeNumbers.get(type) as number);
    const patterns = constraint.before.map((pattern) => this.pattern(pattern, placeholders));
    return patterns.map((seed, index) => {
      const known = new Set(seed.slots);
      const left = patterns.filter((_, other) => other !== index);
      const rest: NumberedPattern[] = [];
      while (left.length > 0) {
        const unknown = ({ slots }: NumberedPattern): number => slots.filter((slot) => !known.has(slot)).length;
        // A known first entity makes the list to search short.
        const cost = (pattern: NumberedPattern): number =>
          unknown(pattern) + (pattern.slots.length > 0 && !known.has(pattern.slots[0] as number) ? 10 : 0);
        const best = left.reduce((one, other) => (cost(other) < cost(one) ? other : one));
        left.splice(left.indexOf(best), 1);
        rest.push(best);
        for (const slot of best.slots) known.add(slot);
      }
      return { slotTypes, seed, rest };
    });
  }

  private pattern(pattern: Pattern, placeholders: readonly Placeholder[]): NumberedPattern {
    const key = predicateKey(pattern.name, pattern.placeholders.length);
    let predicate = this.predicateNumbers.get(key);
    if (predicate === undefined) {
      predicate = this.predicates.length;
      this.predicateNumbers.set(key, predicate);
      this.predicates.push(pattern.name);
      this.width = Math.max(this.width, pattern.placeholders.length);
    }
    return { predicate, slots: pattern.placeholders.map((placeholder) => slotOf(placeholders, placeholder)) };
  }
}

/** A type with a capital letter has one entity, which is called like the type. */
function isConstant(type: string): boolean {
  const first = type.slice(0, 1);
  return first === first.toUpperCase();
}

function second([, value]: readonly [string, number]): number {
  return value;
}

function samePlaceholder(one: Placeholder, other: Placeholder): boolean {
  return one.name === other.name && one.type === other.type;
}

function samePattern(one: Pattern, other: Pattern): boolean {
  return (
    one.name === other.name &&
    one.placeholders.length === other.placeholders.length &&
    one.placeholders.every((placeholder, index) =>
      samePlaceholder(placeholder, other.placeholders[index] as Placeholder),
    )
  );
}

function slotOf(placeholders: readonly Placeholder[], placeholder: Placeholder): number {
  return placeholders.findIndex((other) => samePlaceholder(other, placeholder));
}

function inOrderOfAppearance(patterns: readonly Pattern[]): Placeholder[] {
  const found: Placeholder[] = [];
  for (const placeholder of patterns.flatMap((pattern) => pattern.placeholders)) {
    if (slotOf(found, placeholder) < 0) found.push(placeholder);
  }
  return found;
}

function typesOf(pattern: Pattern): string {
  return pattern.placeholders.map(({ type }) => type).join(',');
}
