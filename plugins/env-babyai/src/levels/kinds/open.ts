// minigrid/envs/babyai/open.py
import { Open } from '../../instructions/commands.js';
import { Description, locations } from '../../instructions/description.js';
import { Sequence } from '../../instructions/sequences.js';
import { sortedColours, Thing } from '../../world/thing.js';
import { describe } from '../describe.js';
import type { LevelKind } from '../level-kind.js';
import type { Side } from '../room-grid.js';

/** Any door of the map. */
export const openAny: LevelKind = {
  group: 'open',
  defaults: { things: 18 },
  make(rooms, { things }) {
    rooms.placeAgent();
    rooms.connectAll();
    rooms.addDistractors(things, { unique: false });
    rooms.rejectUnreachable();
    // A door counts for both of its rooms.
    const doors = rooms.roomsByColumn.flatMap((room) => room.doors.filter((door) => door instanceof Thing));
    return { instruction: new Open(describe(rooms.random.choice(doors))) };
  },
};

export const openRedDoor: LevelKind = {
  group: 'open',
  defaults: { roomSize: 5, rows: 1, columns: 2 },
  make(rooms) {
    rooms.addDoor(0, 0, { side: 0, colour: 'red', locked: false });
    rooms.placeAgent(0, 0);
    return { instruction: new Open(new Description({ kind: 'door', colour: 'red' })) };
  },
};

/** One of the four doors of the middle room, by its colour or its place. */
export const openDoor: LevelKind = {
  group: 'open',
  defaults: {},
  make(rooms, { selectBy, strict }) {
    const { random } = rooms;
    const doors = random
      .subset(sortedColours, 4)
      .map((colour, side) => rooms.addDoor(1, 1, { side: side as Side, colour, locked: false }));
    const by = selectBy === 'any' ? random.choice(['colour', 'location']) : selectBy;
    const wanted =
      by === 'colour' ? describe(doors[0]!) : new Description({ kind: 'door', location: random.choice(locations) });
    rooms.placeAgent(1, 1);
    return { instruction: new Open(wanted, strict) };
  },
};

/** The left door of the middle room, then the right one. */
export const openTwoDoors: LevelKind = {
  group: 'open',
  defaults: { roomSize: 6, stepsPerCell: 20 },
  make(rooms, { doorColours, strict }) {
    const drawn = rooms.random.subset(sortedColours, 2);
    const [first, second] = doorColours.length === 0 ? drawn : doorColours;
    const left = rooms.addDoor(1, 1, { side: 2, colour: first!, locked: false });
    const right = rooms.addDoor(1, 1, { side: 0, colour: second!, locked: false });
    rooms.placeAgent(1, 1);
    return { instruction: new Sequence([new Open(describe(left), strict), new Open(describe(right))], 'then') };
  },
};

/** One or two doors of the middle room, in the order of the words or against it. */
export const openDoorsInOrder: LevelKind = {
  group: 'open',
  defaults: { roomSize: 6, stepsPerCell: 20 },
  make(rooms, { doors: count, strict }) {
    const { random } = rooms;
    const doors = random.subset(sortedColours, count).map((colour) => rooms.addDoor(1, 1, { colour, locked: false }));
    rooms.placeAgent(1, 1);
    const [first, second] = random.subset(doors, 2).map((door) => new Open(describe(door), strict));
    const form = random.integer(0, 3);
    if (form === 0) return { instruction: first! };
    return { instruction: new Sequence([first!, second!], form === 1 ? 'then' : 'after you') };
  },
};
