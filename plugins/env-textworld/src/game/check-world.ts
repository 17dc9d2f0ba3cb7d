import type { Entity, Fact } from '../logic/logic.js';
import { isPlace } from './contents.js';
import { GameError } from './game-error.js';
import type { Game } from './game.js';
import { write } from './write-fact.js';

/** Refuses a world that cannot be: things in two places or inside themselves, exits to two rooms, no player. */
export function checkWorld(game: Game): void {
  const { types } = game.logic;
  for (const name of ['P', 'r']) if (!types.names.includes(name)) fail(`the logic has no type \`${name}\``);
  const holders = new Map<string, Fact>();
  const exits = new Map<string, Fact>();
  const rooms: Fact[] = [];
  for (const fact of game.facts) {
    const [thing, holder] = fact.entities as readonly [Entity, Entity];
    if (fact.name === 'at' && fact.entities.length === 2 && thing.type === 'P') rooms.push(fact);
    if (isPlace(fact)) {
      const other = holders.get(thing.id);
      if (other) fail(`\`${thing.id}\` is in two places: ${write(other)} and ${write(fact)}`);
      if (thing === holder) fail(`\`${thing.id}\` is inside itself: ${write(fact)}`);
      holders.set(thing.id, fact);
    }
    if (isExit(fact)) {
      const key = `${fact.name} ${holder.id}`;
      const other = exits.get(key);
      if (other) fail(`\`${holder.id}\` has two exits in a direction: ${write(other)} and ${write(fact)}`);
      exits.set(key, fact);
    }
  }
  if (rooms.length !== 1) fail(rooms.length === 0 ? 'the player is nowhere' : `the player is in ${rooms.length} rooms`);
  const room = (rooms[0] as Fact).entities[1] as Entity;
  if (!types.isA(room.type, 'r')) fail(`the player is at \`${room.id}\`, which is no room`);
  for (const thing of holders.keys()) checkNesting(thing, holders);
}

const directions = new Set(['north_of', 'south_of', 'east_of', 'west_of']);

const isExit = ({ name, entities }: Fact): boolean => directions.has(name) && entities.length === 2;

function checkNesting(thing: string, holders: ReadonlyMap<string, Fact>): void {
  const passed = new Set([thing]);
  for (let fact = holders.get(thing); fact; fact = holders.get((fact.entities[1] as Entity).id)) {
    const { id } = fact.entities[1] as Entity;
    if (passed.has(id)) fail(`\`${id}\` is inside itself: ${write(fact)}`);
    passed.add(id);
  }
}

function fail(message: string): never {
  throw new GameError(`world: ${message}`);
}
