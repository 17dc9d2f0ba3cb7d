// The map of a compiled story, and the order of its entities (`generator/world.py`).
import type { Entity } from '../logic/logic.js';
import type { GameFacts } from './game-facts.js';
import { directions } from './grammar.js';
import { player, type StoryObject } from './story-object.js';
import type { StoryWorld } from './story-world.js';

/** A way out of a room, through a door or not. */
interface Way {
  readonly to: Entity;
  readonly door?: Entity;
}

/** Ways by number of the direction. */
export type Ways = ReadonlyMap<number, Way>;

/** Entities in the order in which TextWorld meets them in the facts. */
export function entitiesInOrder(facts: GameFacts): readonly Entity[] {
  const met = new Map<string, Entity>();
  const meet = (entity: Entity | undefined): void => {
    if (entity !== undefined && entity.id !== 'P' && !met.has(entity.id)) met.set(entity.id, entity);
  };
  const ofRooms = facts.game.facts.filter(({ entities }) => entities[0] && facts.isKind(entities[0], 'room'));
  for (const { name, entities } of ofRooms) {
    meet(entities[0]);
    if (name.endsWith('_of')) meet(entities[1]);
  }
  for (const { entities } of facts.withName('link')) entities.forEach(meet);
  const ofThings = new Set(ofRooms);
  for (const fact of facts.game.facts) {
    if (ofThings.has(fact)) continue;
    meet(fact.entities[0]);
    if (['match', 'in', 'on', 'at'].includes(fact.name)) meet(fact.entities[1]);
  }
  // Entities that are only mentioned elsewhere have no place in the order of the original.
  for (const { entities } of facts.game.facts) entities.forEach(meet);
  return [...met.values()];
}

/** Where one can go from each room, by direction, in the order in which TextWorld finds the ways. */
export function findWays(facts: GameFacts, rooms: readonly Entity[]): ReadonlyMap<string, Ways> {
  const ways = new Map(rooms.map((room) => [room.id, new Map<number, Way>()]));
  for (const { name, entities } of facts.game.facts) {
    const [to, from] = entities;
    if (!name.endsWith('_of') || to === undefined || from === undefined) continue;
    const direction = directions.findIndex(([word]) => word === name.slice(0, -'_of'.length));
    // `north_of(a, b)`: a lies north of b, so one comes from b to a, and back.
    if (direction !== -1) ways.get(to.id)?.set(oppositeOf(direction), { to: from });
  }
  for (const { entities } of facts.withName('link')) {
    const [from, door, to] = entities;
    if (from === undefined || door === undefined || to === undefined) continue;
    const exits = ways.get(from.id);
    const back = ways.get(to.id);
    if (exits === undefined || back === undefined) continue;
    let exit = [...exits].find(([, way]) => way.to.id === to.id)?.[0];
    // Doors between rooms whose position is not told take free directions.
    const free = compassPoints.filter((point) => !exits.has(point));
    exit ??= free.find((point) => !back.has(oppositeOf(point))) ?? free[0];
    if (exit === undefined) continue;
    if (!exits.has(exit) && !back.has(oppositeOf(exit))) back.set(oppositeOf(exit), { to: from });
    exits.set(exit, { to, door });
  }
  return ways;
}

/** Numbers of directions in the order in which TextWorld looks for a free one. */
const compassPoints = ['north', 'south', 'east', 'west'].map((name) => directions.findIndex(([word]) => word === name));

const opposites = new Map(
  [
    ['north', 'south'],
    ['northeast', 'southwest'],
    ['northwest', 'southeast'],
    ['east', 'west'],
    ['up', 'down'],
    ['inside', 'outside'],
  ].flatMap((pair) => {
    const [one = 0, other = 0] = pair.map((name) => directions.findIndex(([word]) => word === name));
    return [[one, other] as const, [other, one] as const];
  }),
);

function oppositeOf(direction: number): number {
  return opposites.get(direction) ?? direction;
}

/** Brings the doors of the player's room into it, as Inform does when the player comes there. */
export function moveDoors(world: StoryWorld, objects: readonly StoryObject[], doors: readonly number[]): void {
  const room = world.parent(player);
  for (const door of doors) {
    const { sides } = objects[door] as StoryObject;
    if (sides.includes(room)) {
      if (world.parent(door) !== room) world.move(door, room);
    } else if (world.parent(door) === 0) {
      world.move(door, sides[0] as number);
    }
  }
}
