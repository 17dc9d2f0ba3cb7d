import { namePlace, nameReceptacle, withoutDoubles } from './ids.js';
import { contents, openable } from './kinds.js';
import { rooms, type RoomName } from './rooms.js';
import { SeededRandom } from '@agentgym/world-kit';

export interface Receptacle {
  readonly id: string;
  readonly kind: string;
  readonly place: string;
  readonly opens: boolean;
  readonly isOpen: boolean;
}

/** A room without the things in it. */
export interface Scene {
  readonly receptacles: readonly Receptacle[];
  /** Where the agent starts: at no receptacle. */
  readonly start: string;
}

/** Shares in the games of ALFWorld's data set: receptacles at the place of another one, and those that open. */
const sharesPlace = 0.07;
const canBeOpened = 0.85;
const startsOpen = 0.02;
/** So many kinds of each room are in all rooms of its sort; without them, some tasks would be impossible. */
const needed = 4;

/** The room of a number. `wanted` is the number of receptacles; null: as many as such rooms have. */
export function makeScene(room: RoomName, number: number, wanted: number | null): Scene {
  const random = new SeededRandom(`scene/${room}/${number}/${wanted}`);
  const taken: string[] = [];
  const newPlace = (): string => {
    let place = namePlace(random);
    while (taken.includes(place)) place = namePlace(random);
    taken.push(place);
    return place;
  };
  const start = newPlace();
  const receptacles = chooseKinds(room, wanted, random).map((kind): Receptacle => {
    const isShared = taken.length > 1 && random.uniform() < sharesPlace;
    const place = isShared ? random.choice(taken.slice(1)) : newPlace();
    const isAppliance = kind === 'Fridge' || kind === 'Microwave';
    const opens = openable.includes(kind) && (isAppliance || random.uniform() < canBeOpened);
    const isOpen = opens && random.uniform() < startsOpen;
    return { id: nameReceptacle(kind, random), kind, place, opens, isOpen };
  });
  return { receptacles: withoutDoubles(receptacles, ({ kind }) => nameReceptacle(kind, random)), start };
}

/** The kinds of the receptacles of a room, the most needed first. */
function chooseKinds(room: RoomName, wanted: number | null, random: SeededRandom): readonly string[] {
  const { furniture } = rooms[room];
  const kinds = furniture.flatMap(({ kind, rooms: count, counts }, place) => {
    const number = random.choice(counts);
    return place < needed || random.uniform() < count / 30 ? Array.from({ length: number }, () => kind) : [];
  });
  if (wanted === null) return kinds;
  const first = [...new Set(kinds)];
  const more = kinds.filter((kind, place) => kinds.indexOf(kind) !== place);
  const chosen = [...first, ...random.shuffle(more)];
  // Of many receptacles, most are of kinds that hold several kinds of things.
  const usual = furniture.map(({ kind }) => kind).filter((kind) => (contents[kind]?.length ?? 0) > 5);
  while (chosen.length < wanted) chosen.push(random.choice(usual));
  return chosen.slice(0, wanted);
}
