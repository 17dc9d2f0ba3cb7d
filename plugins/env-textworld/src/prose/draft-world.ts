import type { Entity, Fact, Types } from '../logic/logic.js';

const directions = ['north', 'south', 'east', 'west'] as const;
type Direction = (typeof directions)[number];

export interface Exit {
  readonly direction: Direction;
  readonly to: Entity;
  readonly door: Entity | undefined;
}

/** The start of a game as prose sees it: what is where, exits, keys. */
export class DraftWorld {
  /** Sorted by type and number, so that more things do not change the order of others. */
  readonly entities: readonly Entity[];
  readonly rooms: readonly Entity[];
  private readonly holders = new Map<string, Entity>();
  private readonly contents = new Map<string, Entity[]>();
  private readonly exits = new Map<string, Map<Direction, Exit>>();
  private readonly partners = new Map<string, Entity>();
  private readonly openable = new Set<string>();

  constructor(
    facts: readonly Fact[],
    private readonly types: Types,
    others: Iterable<Entity> = [],
  ) {
    const found = new Map<string, Entity>();
    for (const { entities } of facts) for (const entity of entities) found.set(entity.id, entity);
    for (const entity of others) found.set(entity.id, entity);
    this.entities = [...found.values()].sort(byNumber);
    this.rooms = this.entities.filter(({ type }) => types.isA(type, 'r'));
    for (const fact of facts) this.see(fact);
    for (const { name, entities } of facts) if (name === 'link') this.addDoor(entities);
  }

  /** What the thing is in, on or at; undefined if nowhere. */
  holder(thing: Entity): Entity | undefined {
    return this.holders.get(thing.id);
  }

  /** The room that the thing is in, directly or not; undefined if it is nowhere or held by the player. */
  roomOf(thing: Entity): Entity | undefined {
    let place = this.holder(thing);
    // Things are in containers and containers in rooms. The limit ends circles, which files may have.
    for (let depth = 0; depth < 3 && place && !this.types.isA(place.type, 'r'); depth++) place = this.holder(place);
    return place && this.types.isA(place.type, 'r') ? place : undefined;
  }

  /** What is directly in, on or at the place, in the order of the facts. */
  within(place: Entity): readonly Entity[] {
    return this.contents.get(place.id) ?? [];
  }

  /** From north to west. */
  exitsOf(room: Entity): readonly Exit[] {
    const exits = this.exits.get(room.id);
    return directions.flatMap((direction) => exits?.get(direction) ?? []);
  }

  /** The lock of a key, the key of a lock. */
  partner(thing: Entity): Entity | undefined {
    return this.partners.get(thing.id);
  }

  /** Whether the thing is open, closed or locked. */
  canOpen(thing: Entity): boolean {
    return this.openable.has(thing.id);
  }

  private see({ name, entities }: Fact): void {
    const [first, second] = entities;
    if (!first) return;
    if (!second) {
      if (name === 'open' || name === 'closed' || name === 'locked') this.openable.add(first.id);
      return;
    }
    if (name === 'at' || name === 'in' || name === 'on') {
      this.holders.set(first.id, second);
      const contents = this.contents.get(second.id);
      if (contents) contents.push(first);
      else this.contents.set(second.id, [first]);
    } else if (name === 'match') {
      this.partners.set(first.id, second).set(second.id, first);
    } else if (entities.length === 2 && name.endsWith('_of')) {
      // `north_of(there, here)`: there lies north of here.
      const direction = directions.find((each) => name === `${each}_of`);
      if (direction) this.addExit(second, { direction, to: first, door: undefined });
    }
  }

  private addExit(room: Entity, exit: Exit): void {
    const exits = this.exits.get(room.id);
    if (exits) exits.set(exit.direction, exit);
    else this.exits.set(room.id, new Map([[exit.direction, exit]]));
  }

  private addDoor([from, door, to]: readonly Entity[]): void {
    if (!from || !door || !to) return;
    for (const exit of this.exitsOf(from)) if (exit.to.id === to.id) this.addExit(from, { ...exit, door });
  }
}

function byNumber(left: Entity, right: Entity): number {
  if (left.type !== right.type) return left.type < right.type ? -1 : 1;
  const order = numberOf(left) - numberOf(right);
  return order !== 0 ? order : left.id < right.id ? -1 : 1;
}

function numberOf({ id }: Entity): number {
  const number = Number(id.slice(id.lastIndexOf('_') + 1));
  return Number.isInteger(number) ? number : -1;
}
