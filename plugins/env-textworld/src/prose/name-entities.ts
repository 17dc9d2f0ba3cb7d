import type { GameDraft } from '../generate/draft.js';
import type { NumpyRandom } from '../generate/numpy-random.js';
import type { Entity, Types } from '../logic/logic.js';
import type { DraftWorld } from './draft-world.js';
import { roomTypes, type Kind, type RoomType } from './house-words.js';
import { NamePicker, type Name } from './name-picker.js';

/** What an entity is called, and which type of room it is or is in. */
export interface EntityWords extends Name {
  readonly roomType: string | null;
}

const kindsByType: readonly (readonly [type: string, kind: Kind])[] = [
  ['d', 'door'],
  ['c', 'container'],
  ['s', 'supporter'],
  ['k', 'key'],
  ['f', 'food'],
  ['o', 'object'],
];

/** What kind of thing a type is; undefined if it is none that a player meets, such as a recipe. */
export function namingOf(type: string, types: Types): Kind | undefined {
  return kindsByType.find(([above]) => types.isA(type, above))?.[1];
}

/**
 * Names all rooms and things, by id. Fixed names stay. What the quests need is named before what only distracts, so
 * that more objects do not change the names in a quest.
 */
export function nameEntities(
  draft: Pick<GameDraft, 'logic' | 'quests' | 'words'>,
  world: DraftWorld,
  random: NumpyRandom,
): ReadonlyMap<string, EntityWords> {
  const { words: fixed } = draft;
  const { types } = draft.logic;
  const named = new Map<string, EntityWords>();
  const isNamed = ({ id }: Entity): boolean => fixed.get(id)?.name !== undefined;
  const pairs = world.entities.filter((entity) => {
    const partner = types.isA(entity.type, 'k') ? world.partner(entity) : undefined;
    return partner && !isNamed(entity) && !isNamed(partner);
  });
  const things: Partial<Record<Kind, number>> = {};
  for (const { type } of world.entities) {
    const kind = namingOf(type, types);
    if (kind) things[kind] = (things[kind] ?? 0) + 1;
  }
  const picker = new NamePicker(random, { rooms: world.rooms.length, things, pairs: pairs.length });
  for (const { name } of fixed.values()) if (name !== undefined) picker.reserve(name);

  for (const room of world.rooms) {
    const words = fixed.get(room.id);
    const drawn = random.choice(roomTypes);
    const roomType = words?.roomType ?? drawn;
    named.set(room.id, { ...(fixedName(words) ?? picker.room(isRoomType(roomType) ? roomType : drawn)), roomType });
  }
  for (const entity of inOrderOfNaming(draft, world)) {
    const kind = namingOf(entity.type, types);
    if (kind === undefined || named.has(entity.id)) continue;
    const words = fixed.get(entity.id);
    const room = world.roomOf(entity);
    const roomType = words?.roomType ?? (room && named.get(room.id)?.roomType) ?? null;
    const partner = world.partner(entity);
    const name =
      fixedName(words) ??
      picker.thing({
        kind,
        roomType: isRoomType(roomType) ? roomType : undefined,
        isPaired: partner !== undefined && !isNamed(partner),
        shared:
          words?.adjective ?? (partner && !isNamed(partner) ? named.get(partner.id)?.adjective : null) ?? undefined,
        noun: words?.noun,
      });
    named.set(entity.id, { ...name, roomType });
  }
  return named;
}

function fixedName(words: { name?: string; adjective?: string; noun?: string } | undefined): Name | undefined {
  if (words?.name === undefined) return undefined;
  return { name: words.name, adjective: words.adjective ?? null, noun: words.noun ?? words.name };
}

function isRoomType(text: string | null): text is RoomType {
  return (roomTypes as readonly (string | null)[]).includes(text);
}

/** Doors, what the quests need, other things. */
function inOrderOfNaming({ quests, logic }: Pick<GameDraft, 'quests' | 'logic'>, world: DraftWorld): Set<Entity> {
  const byId = new Map(world.entities.map((entity) => [entity.id, entity]));
  const ordered = new Set(world.entities.filter(({ type }) => logic.types.isA(type, 'd')));
  for (const { wins, fails } of quests) {
    for (const { actions, condition } of [...wins, ...fails]) {
      for (const fact of [...actions.flatMap(({ before }) => before), ...condition]) {
        for (const { id } of fact.entities) {
          const entity = byId.get(id);
          if (entity) ordered.add(entity);
        }
      }
    }
  }
  for (const entity of world.entities) ordered.add(entity);
  return ordered;
}
