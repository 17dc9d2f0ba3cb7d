import type { State } from '../engine/state.js';
import type { Schema } from '../pddl/domain.js';
import { findErrands, type Delivery, type Errand } from './errands.js';
import { House, type Deed } from './house.js';

/** A shortest way to reach the goal. */
export interface Plan {
  readonly deeds: readonly Deed[];
  /** Deeds that bring the task forward: they take, treat or put down what the goal asks for, or turn on the lamp. */
  readonly milestones: number;
}

/** The actions of the domain that plans are made of. */
interface Verbs {
  readonly go: Schema;
  readonly open: Schema | undefined;
  readonly close: Schema | undefined;
  readonly take: Schema;
  readonly put: Schema;
  readonly use: Schema | undefined;
}

/**
 * Plans tasks of a house. All receptacles are one turn away, so a plan is a chain of short errands: put down what
 * the hand is full of, take the thing, treat it, bring it. The planner tries the chain for every choice of things and
 * receptacles, and takes the shortest.
 */
export class Planner {
  readonly house: House;
  /** Undefined if the goal is none of the six kinds of tasks. */
  readonly errands: readonly Errand[] | undefined;
  readonly #walk: Walk | undefined;

  constructor(state: State) {
    this.house = new House(state);
    this.errands = findErrands(state);
    const [go, take, put] = ['atlocation', 'holds', 'inreceptacle'].map((each) => this.house.actionThat(each));
    if (go === undefined || take === undefined || put === undefined) return;
    const [open, use] = ['opened', 'istoggled'].map((each) => this.house.actionThat(each));
    const close = this.house.actionThat('opened', false);
    this.#walk = new Walk(this.house, { go, open, close, take, put, use });
  }

  /** A shortest plan from the present state; `allows` leaves errands out. Undefined if there is none. */
  plan(allows: (errand: Errand) => boolean = () => true): Plan | undefined {
    const walk = this.#walk;
    if (walk === undefined || this.errands === undefined) return undefined;
    let best: { readonly errand: Errand; readonly order: readonly Delivery[] } | undefined;
    let least = Infinity;
    for (const errand of this.errands) {
      if (!allows(errand)) continue;
      for (const order of ordersOf(errand.deliveries)) {
        const turns = walk.run(errand, order, least);
        if (turns < least) [best, least] = [{ errand, order }, turns];
      }
    }
    if (best === undefined) return undefined;
    const deeds: Deed[] = [];
    walk.run(best.errand, best.order, Infinity, deeds);
    return { deeds, milestones: walk.milestones };
  }
}

function ordersOf(deliveries: readonly Delivery[]): readonly (readonly Delivery[])[] {
  if (deliveries.length === 1) return [deliveries];
  return deliveries.flatMap((first) => {
    const others = deliveries.filter((each) => each !== first);
    // What the agent has to hold at the end comes last.
    if (first.receptacle === undefined) return [];
    return ordersOf(others).map((order) => [first, ...order]);
  });
}

/** Walks through an errand in thought, and counts the turns. */
class Walk {
  milestones = 0;
  readonly #house: House;
  readonly #verbs: Verbs;
  #here = -1;
  #hand = -1;
  /** Receptacles that are opened or closed on the way. */
  readonly #lids = new Map<number, 'open' | 'closed'>();
  #closesAll = false;
  /** What will be put into, so it stays open. */
  #target: number | undefined;
  #turns = 0;
  #deeds: Deed[] | undefined;

  constructor(house: House, verbs: Verbs) {
    this.#house = house;
    this.#verbs = verbs;
  }

  /** Turns of the errand, Infinity if it is impossible; stops early once it has `limit` turns. */
  run({ lamp, closesAll }: Errand, order: readonly Delivery[], limit: number, deeds?: Deed[]): number {
    this.#here = this.#house.here;
    this.#hand = this.#house.hand;
    this.#lids.clear();
    this.#closesAll = closesAll;
    this.#turns = 0;
    this.milestones = 0;
    this.#deeds = deeds;
    for (const delivery of order) {
      if (!this.#deliver(delivery)) return Infinity;
      if (this.#turns >= limit) return Infinity;
    }
    this.#target = undefined;
    if (closesAll && !this.#closeEverything()) return Infinity;
    if (lamp === undefined) return this.#turns;
    if (!this.#goTo(lamp.receptacle)) return Infinity;
    if (!this.#house.is('istoggled', lamp.thing)) {
      if (this.#verbs.use === undefined) return Infinity;
      this.#do(this.#verbs.use, lamp.thing, lamp.receptacle);
      this.milestones += 1;
    }
    return this.#turns;
  }

  #deliver({ thing, wants, receptacle }: Delivery): boolean {
    this.#target = receptacle;
    const missing = wants.filter((want) => !this.#house.is(want, thing));
    const isThere = receptacle !== undefined && this.#house.isIn(thing, receptacle);
    if (isThere && missing.length === 0) return true;
    if (!this.#fetch(thing)) return false;
    for (const want of missing) if (!this.#treat(thing, want, receptacle)) return false;
    if (receptacle === undefined) return true;
    if (!this.#house.homesOf(thing).includes(receptacle) || !this.#goTo(receptacle)) return false;
    this.#open(receptacle);
    this.#do(this.#verbs.put, thing, receptacle);
    this.milestones += 1;
    this.#hand = -1;
    return true;
  }

  #fetch(thing: number): boolean {
    if (this.#hand === thing) return true;
    const container = this.#house.containerOf(thing);
    const place = this.#house.placeOf.get(container);
    if (place === undefined || !this.#house.canTake(thing)) return false;
    if (this.#hand !== -1) this.#putAside(container, place);
    if (this.#hand !== -1) return false;
    this.#goTo(container);
    this.#open(container);
    this.#do(this.#verbs.take, thing, container);
    this.milestones += 1;
    this.#hand = thing;
    return true;
  }

  /** Puts down what is in the hand: here, at the next place, or somewhere else. */
  #putAside(container: number, next: number): void {
    let best: number | undefined;
    let least = Infinity;
    for (const home of this.#house.homesOf(this.#hand)) {
      const place = this.#house.placeOf.get(home);
      const isOnTheWay = place === this.#here || place === next;
      // The container of what is fetched has to be opened anyway.
      const turns = (isOnTheWay ? 0 : 1) + (this.#isClosed(home) && home !== container ? 1 : 0);
      if (turns < least) [best, least] = [home, turns];
    }
    if (best === undefined) return;
    this.#goTo(best);
    this.#open(best);
    this.#do(this.#verbs.put, this.#hand, best);
    this.#hand = -1;
  }

  #treat(thing: number, want: string, receptacle: number | undefined): boolean {
    const schema = this.#house.actionThat(want);
    const appliances = this.#house.appliancesFor(want, thing);
    const { placeOf } = this.#house;
    const goal = receptacle === undefined ? undefined : placeOf.get(receptacle);
    // One turn less where an appliance stands, or will be on the way.
    const near = (place: number | undefined) => appliances.find((appliance) => placeOf.get(appliance) === place);
    const appliance = near(this.#here) ?? near(goal) ?? appliances[0];
    if (schema === undefined || appliance === undefined) return false;
    this.#goTo(appliance);
    this.#do(schema, thing, appliance);
    this.milestones += 1;
    return true;
  }

  #goTo(receptacle: number): boolean {
    const place = this.#house.placeOf.get(receptacle);
    if (place === undefined) return false;
    if (place === this.#here) return true;
    if (this.#closesAll) this.#closeHere();
    this.#do(this.#verbs.go, undefined, receptacle);
    this.#here = place;
    return true;
  }

  #isClosed(receptacle: number): boolean {
    const lid = this.#lids.get(receptacle);
    return lid === undefined ? this.#house.isClosed(receptacle) : lid === 'closed';
  }

  #open(receptacle: number): void {
    if (!this.#isClosed(receptacle)) return;
    this.#do(this.#verbs.open as Schema, undefined, receptacle);
    this.#lids.set(receptacle, 'open');
  }

  /** Closes what is open here, but for what is needed again. */
  #closeHere(): void {
    for (const receptacle of this.#openOnes()) {
      if (this.#house.placeOf.get(receptacle) !== this.#here || receptacle === this.#target) continue;
      if (this.#verbs.close === undefined) return;
      this.#do(this.#verbs.close, undefined, receptacle);
      this.#lids.set(receptacle, 'closed');
    }
  }

  #closeEverything(): boolean {
    this.#closeHere();
    for (const receptacle of this.#openOnes()) if (!this.#goTo(receptacle)) return false;
    this.#closeHere();
    return this.#openOnes().length === 0;
  }

  #openOnes(): readonly number[] {
    const opened = [...this.#house.open(), ...this.#lids.keys()];
    return [...new Set(opened)].filter((receptacle) => this.#lids.get(receptacle) !== 'closed');
  }

  #do(schema: Schema, thing: number | undefined, receptacle: number): void {
    this.#turns += 1;
    this.#deeds?.push({ schema, receptacle, ...(thing !== undefined && { thing }) });
  }
}
