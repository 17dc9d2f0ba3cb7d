import { planWays } from '../engine/join.js';
import type { Relation } from '../engine/relation.js';
import type { State } from '../engine/state.js';
import type { Schema } from '../pddl/domain.js';

/** An action of a plan: the action of the domain, and which thing and which receptacle it is done with. */
export interface Deed {
  readonly schema: Schema;
  readonly thing?: number;
  readonly receptacle?: number;
}

/** What a planner asks of a household: who is where, what fits where, and which appliance does what. */
export class House {
  /** The place of each receptacle. */
  readonly placeOf: ReadonlyMap<number, number>;
  readonly receptaclesAt: ReadonlyMap<number, readonly number[]>;
  readonly #state: State;
  readonly #openable: ReadonlySet<number>;
  readonly #kinds: ReadonlyMap<number, readonly number[]>;
  readonly #places: ReadonlyMap<number, readonly number[]>;
  readonly #appliances = new Map<string, ReadonlyMap<number, readonly number[]>>();
  readonly #makers = new Map<string, Schema | undefined>();

  constructor(state: State) {
    this.#state = state;
    const { start } = state.setting;
    this.placeOf = new Map(pairs(start.get('receptacleatlocation')));
    const receptaclesAt = new Map<number, number[]>();
    for (const [receptacle, place] of this.placeOf) {
      receptaclesAt.set(place, [...(receptaclesAt.get(place) ?? []), receptacle]);
    }
    this.receptaclesAt = receptaclesAt;
    this.#openable = new Set(pairs(start.get('openable')).map(([receptacle]) => receptacle));
    this.#kinds = groups(start.get('objecttype'));
    this.#places = this.#findPlaces();
  }

  /** The place of the agent. */
  get here(): number {
    const [at] = this.#state.relation('atlocation')?.find(0, 0) ?? [];
    return at?.things[1] ?? -1;
  }

  /** What the agent holds, or -1. */
  get hand(): number {
    const [held] = this.#state.relation('holds')?.find(0, 0) ?? [];
    return held?.things[1] ?? -1;
  }

  /** The receptacle that a thing is in, or -1. */
  containerOf(thing: number): number {
    const [inside] = this.#state.relation('inreceptacle')?.find(1, thing) ?? [];
    return inside?.things[1] ?? -1;
  }

  isIn(thing: number, receptacle: number): boolean {
    const relation = this.#state.relation('inreceptacle');
    return relation?.has(relation.keyOf([thing, receptacle])) === true;
  }

  /** Receptacles that are open and can be closed. */
  open(): readonly number[] {
    return (this.#state.relation('opened')?.find(0, 0) ?? []).flatMap(({ things }) =>
      things.filter((receptacle) => this.#openable.has(receptacle)),
    );
  }

  isClosed(receptacle: number): boolean {
    return this.#openable.has(receptacle) && this.#state.relation('opened')?.has(receptacle) !== true;
  }

  /** Whether a fact about one thing, such as `isclean`, holds. */
  is(predicate: string, thing: number): boolean {
    return this.#state.relation(predicate)?.has(thing) === true;
  }

  canTake(thing: number): boolean {
    return this.#state.setting.start.get('pickupable')?.has(thing) === true;
  }

  /** Receptacles that may hold a thing, wherever they are. */
  homesOf(thing: number): readonly number[] {
    return this.#places.get(thing) ?? [];
  }

  /** The action of the domain that makes facts of the predicate true, or false. */
  actionThat(predicate: string, adds = true): Schema | undefined {
    const key = `${predicate} ${adds}`;
    if (!this.#makers.has(key)) {
      const { schemas } = this.#state.setting;
      const makes = ({ effects }: Schema) =>
        effects.some((effect) => effect.adds === adds && effect.literal.predicate === predicate);
      this.#makers.set(key, schemas.find(makes));
    }
    return this.#makers.get(key);
  }

  /** Receptacles with which the thing can be treated: sinks for `isclean`. */
  appliancesFor(predicate: string, thing: number): readonly number[] {
    let byThing = this.#appliances.get(predicate);
    if (byThing === undefined) {
      byThing = this.#findAppliances(predicate);
      this.#appliances.set(predicate, byThing);
    }
    return byThing.get(thing) ?? [];
  }

  #findPlaces(): ReadonlyMap<number, readonly number[]> {
    const { start } = this.#state.setting;
    const receptaclesOf = groups(start.get('receptacletype'), true);
    const kindsIn = groups(start.get('cancontain'), true);
    const places = new Map<number, readonly number[]>();
    for (const [thing, kinds] of this.#kinds) {
      const containers = kinds.flatMap((kind) =>
        (kindsIn.get(kind) ?? []).flatMap((each) => receptaclesOf.get(each) ?? []),
      );
      places.set(
        thing,
        [...new Set(containers)].filter((receptacle) => this.placeOf.has(receptacle)),
      );
    }
    return places;
  }

  /** Pairs of things and receptacles that satisfy what never changes of an action's condition. */
  #findAppliances(predicate: string): ReadonlyMap<number, readonly number[]> {
    const schema = this.actionThat(predicate);
    if (schema === undefined) return new Map();
    const { setting } = this.#state;
    const thing = schema.parameters.findIndex(({ type }) => type === 'object');
    const receptacle = schema.parameters.findIndex(({ type }) => type === 'receptacle');
    const fixed = schema.ways.map((way) => ({
      ...way,
      positive: way.positive.filter((literal) => !setting.fluents.has(literal.predicate)),
      negative: [],
    }));
    const values = Array.from({ length: schema.variables }, () => -1);
    const types = new Map([thing, receptacle].map((number) => [number, schema.parameters[number]?.type ?? 'object']));
    const found = new Map<number, number[]>();
    for (const join of planWays(fixed, types, [], this.#state)) {
      join.search(values, () => {
        const [one, other] = [values[thing] as number, values[receptacle] as number];
        const known = found.get(one) ?? [];
        if (!known.includes(other) && this.placeOf.has(other)) found.set(one, [...known, other]);
        return false;
      });
    }
    return found;
  }
}

function pairs(relation: Relation | undefined): readonly (readonly [number, number])[] {
  return [...(relation?.start ?? [])].map(({ things }) => [things[0] ?? -1, things[1] ?? -1] as const);
}

/** The second things by the first, or the other way round. */
function groups(relation: Relation | undefined, bySecond = false): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const [first, second] of pairs(relation)) {
    const [key, value] = bySecond ? [second, first] : [first, second];
    const known = found.get(key);
    if (known === undefined) found.set(key, [value]);
    else known.push(value);
  }
  return found;
}
