// Things that no quest needs (`populate` and `populate_with` of `generator/world.py`).
import type { Entity, Fact, Types } from '../logic/logic.js';
import { allDoorStates } from './make-map.js';
import type { NumpyRandom } from './numpy-random.js';
import { orderOfEntities } from './sort-facts.js';
import { EntityNumbers } from './type-sampling.js';
import { inventory, worldEntities } from './world-facts.js';

const furnitureTypes = ['c', 'd', 's'];
/** No thing is just a thing; doors and rooms come with the map. */
const undrawnTypes = ['t', 'd', 'r'];

/** What a room offers while things are put into it. */
interface Furniture {
  /** Where things can be put. */
  readonly holders: Entity[];
  /** Containers without a key, and those of them that are closed or locked. */
  readonly keyless: Entity[];
  readonly keylessShut: Entity[];
}

/** What stands in a room, in the order of the original. */
function furnitureOf(room: Entity, facts: readonly Fact[]): Furniture {
  const standing = facts
    .filter(({ name, entities }) => name === 'at' && entities[1]?.id === room.id)
    .flatMap(({ entities }) => (entities[0] && furnitureTypes.includes(entities[0].type) ? [entities[0]] : []))
    .sort(orderOfEntities);
  const namesOfFacts = (entity: Entity): Set<string> =>
    new Set(facts.filter(({ entities }) => entities.some(({ id }) => id === entity.id)).map(({ name }) => name));
  const holders = standing.filter(({ type }) => type !== 'd');
  const keyless: Entity[] = [];
  const keylessShut: Entity[] = [];
  for (const entity of standing) {
    if (entity.type === 's') continue;
    const names = namesOfFacts(entity);
    if (names.has('match')) continue;
    keyless.push(entity);
    if (names.has('closed') || names.has('locked')) keylessShut.push(entity);
  }
  return { holders, keyless, keylessShut };
}

function remove(list: Entity[], entity: Entity): void {
  const index = list.indexOf(entity);
  if (index >= 0) list.splice(index, 1);
}

/** How many of `count` things each room gets. */
function share(count: number, roomCount: number, random: NumpyRandom): number[] {
  const counts = new Array<number>(roomCount).fill(0);
  for (let index = 0; index < count; index++) {
    const room = random.integer(0, roomCount);
    counts[room] = (counts[room] as number) + 1;
  }
  return counts;
}

function placed(thing: Entity, holder: Entity, types: Types): Fact {
  const name = types.isA(holder.type, 's') ? 'on' : types.isA(holder.type, 'r') ? 'at' : 'in';
  return { name, entities: [thing, holder] };
}

/** Stands a container or supporter in the room; the state of a container is drawn. */
function stand(thing: Entity, room: Entity, furniture: Furniture, types: Types, random: NumpyRandom): Fact[] {
  const facts: Fact[] = [{ name: 'at', entities: [thing, room] }];
  furniture.holders.push(thing);
  if (types.isA(thing.type, 's')) return facts;
  const state = random.choice(allDoorStates);
  facts.push({ name: state, entities: [thing] });
  furniture.keyless.push(thing);
  if (state !== 'open') furniture.keylessShut.push(thing);
  return facts;
}

function populateRoom(
  count: number,
  room: Entity,
  facts: readonly Fact[],
  numbers: EntityNumbers,
  types: Types,
  random: NumpyRandom,
): Fact[] {
  const furniture = furnitureOf(room, facts);
  const places = [inventory, room, ...furniture.holders];
  const { keyless, keylessShut } = furniture;
  const drawnTypes = types.withBelow('t').filter((type) => !undrawnTypes.includes(type));
  const added: Fact[] = [];
  for (let made = 0; made < count;) {
    const type = keylessShut.length > 0 ? 'k' : random.choice(drawnTypes);
    const thing = numbers.make(type);
    if (!types.isA(type, 'o')) {
      added.push(...stand(thing, room, { ...furniture, holders: places }, types, random));
      made++;
      continue;
    }
    let allowed: readonly Entity[] = places;
    if (type === 'k') {
      const locks = keylessShut.length > 0 ? keylessShut : keyless;
      random.shuffle(locks);
      const lock = locks.pop();
      if (!lock) continue; // A key that opens nothing is not made, but its number is used up.
      added.push({ name: 'match', entities: [thing, lock] });
      if (locks === keylessShut) {
        remove(keyless, lock);
        allowed = places.filter((place) => place !== lock);
      }
    } else if (type === 'f') {
      added.push({ name: 'edible', entities: [thing] });
    }
    added.push(placed(thing, random.choice(allowed), types));
    made++;
  }
  return added;
}

/**
 * Adds things of drawn types in drawn places. Containers that are closed or locked get a key first. Keys that open
 * nothing are not made.
 *
 * @param facts a world with at least one room
 * @param count how many things
 * @returns the new facts
 */
export function populate(facts: readonly Fact[], count: number, types: Types, random: NumpyRandom): Fact[] {
  const entities = worldEntities(facts, types);
  const rooms = entities.filter(({ type }) => type === 'r');
  const numbers = new EntityNumbers(entities);
  const added: Fact[] = [];
  share(count, rooms.length, random).forEach((roomShare, index) => {
    // The original counts anew for each room: a number that was used up for nothing is free again.
    const made = populateRoom(roomShare, rooms[index] as Entity, facts, numbers.copy(), types, random);
    for (const fact of made) fact.entities.forEach((entity) => numbers.see(entity));
    added.push(...made);
  });
  return added;
}

/**
 * Puts given containers, supporters and things into a world: the first ones into the first room and so on. Nothing is
 * put into the inventory.
 *
 * @param facts a world with at least one room
 * @param things in the order of their rooms
 * @returns the new facts
 */
export function populateWith(
  facts: readonly Fact[],
  things: readonly Entity[],
  types: Types,
  random: NumpyRandom,
): Fact[] {
  const rooms = worldEntities(facts, types).filter(({ type }) => type === 'r');
  const added: Fact[] = [];
  let next = 0;
  share(things.length, rooms.length, random).forEach((roomShare, index) => {
    const room = rooms[index] as Entity;
    const furniture = furnitureOf(room, facts);
    const places = [room, ...furniture.holders];
    const shuffled = things.slice(next, next + roomShare);
    next += roomShare;
    random.shuffle(shuffled);
    for (const thing of shuffled) {
      if (types.isA(thing.type, 'o')) added.push(placed(thing, random.choice(places), types));
      else added.push(...stand(thing, room, { ...furniture, holders: places }, types, random));
    }
  });
  return added;
}
