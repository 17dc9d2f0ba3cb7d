// Levels with random sentences: minigrid/envs/babyai/core/levelgen.py.
import { GoTo, Open, PickUp, PutNext } from '../../instructions/commands.js';
import { Description, locations, type Wanted } from '../../instructions/description.js';
import type { Command, Instruction } from '../../instructions/instruction.js';
import { Both, Sequence } from '../../instructions/sequences.js';
import { sortedColours } from '../../world/thing.js';
import { RejectedLevel } from '../level-errors.js';
import type { Form, LevelGroup, LevelKind, LevelSettings, SentenceSettings } from '../level-kind.js';
import type { Room, RoomGrid } from '../room-grid.js';

type Nameable = NonNullable<Wanted['kind']>;
const nameable: readonly Nameable[] = ['box', 'ball', 'key', 'door'];
const portable: readonly Nameable[] = ['box', 'ball', 'key'];
const anyColour = [undefined, ...sortedColours];
const mostDescriptions = 100;

const anySentence: SentenceSettings = {
  lockedRoom: 0.5,
  locations: true,
  unblocking: true,
  implicitUnlock: true,
  verbs: ['go to', 'pick up', 'open', 'put'],
  forms: ['single', 'and', 'sequence'],
};

/** A kind of such levels. */
export function sentenceKind(
  group: LevelGroup,
  changes: Partial<SentenceSettings>,
  defaults: Partial<LevelSettings> = {},
): LevelKind {
  return {
    group,
    defaults: { things: 18, ...defaults, sentence: { ...anySentence, ...changes } },
    make: makeSentenceLevel,
  };
}

function makeSentenceLevel(rooms: RoomGrid, settings: LevelSettings): { readonly instruction: Instruction } {
  const { sentence = anySentence, things } = settings;
  const locked = rooms.random.uniform() < sentence.lockedRoom ? addLockedRoom(rooms) : undefined;
  rooms.connectAll();
  rooms.addDistractors(things, { unique: false });
  do rooms.placeAgent();
  while (rooms.roomAt(rooms.x, rooms.y) === locked);
  if (!sentence.unblocking) rooms.rejectUnreachable();
  return { instruction: new SentenceMaker(rooms, sentence, locked).instruction(sentence.forms) };
}

/** A room with a locked door, and its key in another room. */
function addLockedRoom(rooms: RoomGrid): Room {
  for (;;) {
    const room = rooms.room(rooms.randomColumn(), rooms.randomRow());
    const side = rooms.random.integer(0, 4) as 0 | 1 | 2 | 3;
    if (room.neighbours[side] === undefined) continue;
    const door = rooms.addDoor(room.column, room.row, { side, locked: true });
    for (;;) {
      const keyRoom = rooms.room(rooms.randomColumn(), rooms.randomRow());
      if (keyRoom === room) continue;
      rooms.addThing(keyRoom.column, keyRoom.row, 'key', door.colour);
      return room;
    }
  }
}

class SentenceMaker {
  constructor(
    readonly rooms: RoomGrid,
    readonly settings: SentenceSettings,
    readonly locked: Room | undefined,
  ) {}

  instruction(forms: readonly Form[]): Instruction {
    const { random } = this.rooms;
    switch (random.choice(forms)) {
      case 'single':
        return this.#command();
      case 'and':
        return new Both([this.instruction(['single']), this.instruction(['single'])]);
      case 'sequence': {
        const parts = [this.instruction(['single', 'and']), this.instruction(['single', 'and'])] as const;
        return new Sequence(parts, random.choice(['then', 'after you']));
      }
    }
  }

  #command(): Command {
    switch (this.rooms.random.choice(this.settings.verbs)) {
      case 'go to':
        return new GoTo(this.#description(nameable));
      case 'pick up':
        return new PickUp(this.#description(portable));
      case 'open':
        return new Open(this.#description(['door']));
      case 'put': {
        const moved = this.#description(portable);
        return new PutNext(moved, this.#description(nameable));
      }
    }
  }

  /** A description that something matches, outside of the locked room if unlocking has to be said. */
  #description(kinds: readonly Nameable[]): Description {
    const { random } = this.rooms;
    for (let tries = 0; tries <= mostDescriptions; tries += 1) {
      const colour = random.choice(anyColour);
      const kind = random.choice(kinds);
      const location = this.settings.locations && random.coin() ? random.choice(locations) : undefined;
      const description = new Description({
        kind,
        ...(colour !== undefined && { colour }),
        ...(location !== undefined && { location }),
      });
      description.find(this.rooms);
      if (description.places.some((place) => !this.#isOutOfBounds(place))) return description;
    }
    throw new RejectedLevel('no suitable thing was found');
  }

  #isOutOfBounds({ x, y }: { readonly x: number; readonly y: number }): boolean {
    if (this.settings.implicitUnlock || this.locked === undefined) return false;
    const { left, top } = this.locked;
    const { roomSize } = this.rooms;
    return x >= left && y >= top && x < left + roomSize && y < top + roomSize;
  }
}
