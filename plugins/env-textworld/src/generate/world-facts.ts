// What follows from the facts of a world: its rooms and entities in the order of the original (`generator/world.py`).
import type { Entity, Fact, Types } from '../logic/logic.js';
import type { Direction, RoomMap } from './make-map.js';
import { sortFacts } from './sort-facts.js';

export const playerEntity: Entity = { id: 'P', type: 'P' };
export const inventory: Entity = { id: 'I', type: 'I' };

const opposite: Record<Direction, Direction> = { north: 'south', south: 'north', east: 'west', west: 'east' };

/** The facts about a map: where rooms lie, where one can walk, and the doors. Rooms are called `r_0`, `r_1`, .... */
export function mapFacts(map: RoomMap): Fact[] {
  const rooms = Array.from({ length: map.roomCount }, (_, index): Entity => ({ id: `r_${index}`, type: 'r' }));
  const facts: Fact[] = [];
  for (const { from, to, direction, door } of map.passages) {
    const near = rooms[from] as Entity;
    const far = rooms[to] as Entity;
    facts.push({ name: `${direction}_of`, entities: [far, near] });
    facts.push({ name: `${opposite[direction]}_of`, entities: [near, far] });
    if (door) {
      const entity = { id: door.id, type: 'd' };
      facts.push({ name: door.state, entities: [entity] });
      facts.push({ name: 'link', entities: [near, entity, far] }, { name: 'link', entities: [far, entity, near] });
    }
    if (!door || door.state === 'open') {
      facts.push({ name: 'free', entities: [far, near] }, { name: 'free', entities: [near, far] });
    }
  }
  return facts;
}

/**
 * The entities of a world in the order of the original, which its texts are made in: player, inventory, rooms and
 * doors, then things.
 *
 * @param facts in any order
 */
export function worldEntities(facts: readonly Fact[], types: Types): Entity[] {
  const sorted = sortFacts(facts);
  const found = new Map<string, Entity>([
    [playerEntity.id, playerEntity],
    [inventory.id, inventory],
  ]);
  const see = (entity: Entity | undefined): void => {
    if (entity && !found.has(entity.id)) found.set(entity.id, entity);
  };
  const isOfRoom = (fact: Fact): boolean => fact.entities[0] !== undefined && types.isA(fact.entities[0].type, 'r');
  for (const fact of sorted) {
    if (!isOfRoom(fact)) continue;
    see(fact.entities[0]);
    if (fact.name.endsWith('_of')) see(fact.entities[1]);
  }
  for (const fact of sorted) if (fact.name === 'link') fact.entities.forEach(see);
  for (const fact of sorted) {
    if (isOfRoom(fact)) continue;
    see(fact.entities[0]);
    if (['match', 'in', 'on', 'at'].includes(fact.name)) see(fact.entities[1]);
  }
  return [...found.values()];
}

/** The rooms of a world in the order of the original. The player starts in the first of a map that is just made. */
export function worldRooms(facts: readonly Fact[], types: Types): Entity[] {
  return worldEntities(facts, types).filter(({ type }) => type === 'r');
}
