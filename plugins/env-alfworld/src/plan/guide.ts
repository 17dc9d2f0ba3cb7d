import type { Random } from '@agentgym/cli';

import type { GroundAction } from '../engine/actions.js';
import { actionFor } from '../game/playable.js';
import type { Session } from '../game/session.js';
import type { Errand } from './errands.js';
import { Planner, type Plan } from './planner.js';

/** What is left to do. */
export interface Remaining {
  readonly turns: number;
  readonly milestones: number;
}

/**
 * Knows what to do next in a game: with all that is in the house (`oracle`), or with what the agent has seen so far
 * (`searcher`).
 */
export class Guide {
  readonly #session: Session;
  readonly #planner: Planner;
  /** Receptacles whose contents the agent has seen. */
  #seen = new Set<number>();
  #plan: Plan | undefined;

  constructor(session: Session) {
    this.#session = session;
    this.#planner = new Planner(session.state);
  }

  /** Receptacles that the agent has seen into, by name. */
  get seen(): readonly string[] {
    return [...this.#seen].map((receptacle) => this.#session.game.setting.names[receptacle] as string).sort();
  }

  /** Begins again, with receptacles that were seen before. */
  reset(seen: readonly string[] = []): void {
    this.#seen = new Set(seen.flatMap((name) => this.#session.game.setting.numberOf(name) ?? []));
    this.#plan = this.#planner.plan();
    this.#look();
  }

  /** Notes what an action did; absent: nothing. */
  note(action: GroundAction | undefined): void {
    if (action === undefined) return;
    const [first] = this.#plan?.deeds ?? [];
    const isPlanned = first !== undefined && actionFor(first, [action]) !== undefined;
    const hadMilestone = isPlanned && first.thing !== undefined;
    // The rest of a shortest plan is a shortest plan.
    if (isPlanned && !hadMilestone) this.#plan = { ...(this.#plan as Plan), deeds: this.#plan?.deeds.slice(1) ?? [] };
    else if (changesPlan(action)) this.#plan = this.#planner.plan();
    this.#look();
  }

  /** What a shortest way to the goal takes. */
  remaining(): Remaining | undefined {
    return this.#plan && { turns: this.#plan.deeds.length, milestones: this.#plan.milestones };
  }

  /** The next command of a shortest way. */
  next(): string | undefined {
    return this.#commandOf(this.#plan);
  }

  /** The next command of somebody who has to find things first. */
  search(random: Random): string | undefined {
    const known = this.#planner.plan((errand) => this.#knows(errand));
    return this.#commandOf(known) ?? this.#explore(random);
  }

  #commandOf(plan: Plan | undefined): string | undefined {
    const [deed] = plan?.deeds ?? [];
    if (deed === undefined) return undefined;
    const action = actionFor(deed, this.#session.applicable());
    return action && this.#session.commandOf(action);
  }

  #knows({ deliveries, lamp }: Errand): boolean {
    const { house } = this.#planner;
    const isKnown = (thing: number) => house.hand === thing || this.#seen.has(house.containerOf(thing));
    return deliveries.every(({ thing }) => isKnown(thing)) && (lamp === undefined || isKnown(lamp.thing));
  }

  /** Opens what is closed here, or goes to a receptacle that may hold what is missing. */
  #explore(random: Random): string | undefined {
    const { house } = this.#planner;
    const likely = this.#likely();
    const unseen = [...house.placeOf.keys()].filter((receptacle) => !this.#seen.has(receptacle));
    const here = unseen.find((receptacle) => house.placeOf.get(receptacle) === house.here && likely.has(receptacle));
    const [go, open] = ['atlocation', 'opened'].map((predicate) => house.actionThat(predicate));
    if (here !== undefined && open !== undefined) return this.#commandFor(open.name, here);
    const next = unseen.filter((receptacle) => likely.has(receptacle));
    const choice = next.length > 0 ? next : unseen;
    return choice.length === 0 || go === undefined ? undefined : this.#commandFor(go.name, random.choice(choice));
  }

  /** Receptacles that may hold what the goal asks for and was not seen. */
  #likely(): ReadonlySet<number> {
    const { house, errands = [] } = this.#planner;
    const things = new Set(
      errands.flatMap(({ deliveries, lamp }) => [
        ...deliveries.map(({ thing }) => thing),
        ...(lamp ? [lamp.thing] : []),
      ]),
    );
    return new Set([...things].flatMap((thing) => house.homesOf(thing)));
  }

  #commandFor(schemaName: string, receptacle: number): string | undefined {
    const action = this.#session
      .applicable()
      .find(
        ({ schema, things }) =>
          schema.name === schemaName &&
          schema.parameters.every(({ type }, place) => type !== 'receptacle' || things[place] === receptacle),
      );
    return action && this.#session.commandOf(action);
  }

  /** Whoever is at a receptacle sees what is in it, unless it is closed. */
  #look(): void {
    const { house } = this.#planner;
    for (const receptacle of house.receptaclesAt.get(house.here) ?? []) {
      if (!house.isClosed(receptacle)) this.#seen.add(receptacle);
    }
  }
}

/** Examining and the like change no fact that plans depend on. */
function changesPlan({ schema }: GroundAction): boolean {
  return schema.effects.some(({ literal }) => literal.predicate !== 'checked');
}
