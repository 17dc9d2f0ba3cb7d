import { createHash } from 'node:crypto';

import type { QuestDraft } from '../generate/draft.js';
import type { Entity, Fact } from '../logic/logic.js';

/** The parts of a game, or of its draft, that its cluster depends on. */
export interface Structure {
  readonly facts: readonly Fact[];
  readonly quests: readonly QuestDraft[];
}

const directions = ['north', 'south', 'east', 'west'];

/**
 * A name for the game's quest and map that ignores all words and all things without a part in the quest: two games of
 * one cluster are the same puzzle with other names and other distractors. Rooms are numbered by a walk from the
 * player's room, doors with them, things in the order in which the quests need them.
 */
export function clusterOf(game: Structure): string {
  const numbers = new Map<string, string>();
  const number = (entity: Entity): string => {
    let known = numbers.get(entity.id);
    if (known === undefined) numbers.set(entity.id, (known = `${entity.type}${numbers.size}`));
    return known;
  };
  const exits = exitsOf(game);
  numberRooms(game, exits, number);
  const quests = game.quests.map(({ reward, optional, repeatable, wins, fails }) => [
    reward,
    optional,
    repeatable,
    ...[wins, fails].map((events) =>
      events.map(({ condition, actions }) => [
        actions.map(({ rule, before, after }) => [rule, writeFacts(before, number), writeFacts(after, number)]),
        writeFacts(condition, number),
      ]),
    ),
  ]);
  // Entities of the quests have their numbers now; what is left are distractors.
  const start = game.facts.filter(({ entities }) => entities.every(({ id }) => numbers.has(id)));
  const text = JSON.stringify([quests, writeFacts(start, number).sort()]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Neighbours of each room by direction. */
function exitsOf({ facts }: Structure): ReadonlyMap<string, ReadonlyMap<string, Entity>> {
  const exits = new Map<string, Map<string, Entity>>();
  for (const { name, entities } of facts) {
    const direction = name.endsWith('_of') ? name.slice(0, -'_of'.length) : '';
    const [there, here] = entities;
    if (there === undefined || here === undefined || !directions.includes(direction)) continue;
    const known = exits.get(here.id) ?? new Map<string, Entity>();
    exits.set(here.id, known.set(direction, there));
  }
  return exits;
}

function numberRooms(
  game: Structure,
  exits: ReadonlyMap<string, ReadonlyMap<string, Entity>>,
  number: (entity: Entity) => string,
): void {
  const start = game.facts.find(({ name, entities }) => name === 'at' && entities[0]?.type === 'P')?.entities[1];
  const queue = start === undefined ? [] : [start];
  const seen = new Set(queue.map(({ id }) => id));
  for (const room of queue) {
    number(room);
    for (const direction of directions) {
      const next = exits.get(room.id)?.get(direction);
      if (next === undefined || seen.has(next.id)) continue;
      seen.add(next.id);
      queue.push(next);
    }
  }
  for (const room of queue) {
    for (const direction of directions) {
      const next = exits.get(room.id)?.get(direction);
      const isBetween = ({ name, entities: [from, , to] }: Fact) =>
        name === 'link' && from?.id === room.id && to?.id === next?.id;
      const door = next && game.facts.find(isBetween)?.entities[1];
      if (door !== undefined) number(door);
    }
  }
}

function writeFacts(facts: readonly Fact[], number: (entity: Entity) => string): string[] {
  return facts.map(({ name, entities }) => `${name}(${entities.map(number).join()})`);
}
