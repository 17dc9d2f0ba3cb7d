// minigrid/envs/babyai/goto.py
import { GoTo } from '../../instructions/commands.js';
import { Description } from '../../instructions/description.js';
import { describe } from '../describe.js';
import { RejectedLevel } from '../level-errors.js';
import type { LevelKind } from '../level-kind.js';
import type { RoomGrid } from '../room-grid.js';

const oneRoom = { rows: 1, columns: 1 };

export const goToRedBall: LevelKind = {
  group: 'go to',
  defaults: { ...oneRoom, things: 7 },
  make(rooms, { things }) {
    rooms.placeAgent();
    const ball = rooms.addThing(0, 0, 'ball', 'red');
    rooms.addDistractors(things, { unique: false });
    rooms.rejectUnreachable();
    return { instruction: new GoTo(describe(ball)) };
  },
};

/** All distractors are grey. */
export const goToRedBallGrey: LevelKind = {
  group: 'go to',
  defaults: { ...oneRoom, things: 7 },
  make(rooms, { things }) {
    rooms.placeAgent();
    const ball = rooms.addThing(0, 0, 'ball', 'red');
    for (const thing of rooms.addDistractors(things, { unique: false })) thing.colour = 'grey';
    rooms.rejectUnreachable();
    return { instruction: new GoTo(describe(ball)) };
  },
};

export const goToRedBlueBall: LevelKind = {
  group: 'go to',
  defaults: { ...oneRoom, things: 7 },
  make(rooms, { things }) {
    rooms.placeAgent();
    const others = rooms.addDistractors(things, { unique: false });
    if (others.some(({ kind, colour }) => kind === 'ball' && (colour === 'blue' || colour === 'red'))) {
      throw new RejectedLevel('there is a second red or blue ball');
    }
    const ball = rooms.addThing(0, 0, 'ball', rooms.random.choice(['red', 'blue']));
    rooms.rejectUnreachable();
    return { instruction: new GoTo(describe(ball)) };
  },
};

/** The only thing of a room. */
export const goToObject: LevelKind = {
  group: 'go to',
  defaults: oneRoom,
  make(rooms) {
    rooms.placeAgent();
    const [thing] = rooms.addDistractors(1);
    return { instruction: new GoTo(describe(thing!)) };
  },
};

export const goToLocal: LevelKind = {
  group: 'go to',
  defaults: { ...oneRoom, things: 8 },
  make(rooms, { things }) {
    rooms.placeAgent();
    return goToAnyOf(rooms, things);
  },
};

/** The thing may be in another room. */
export const goTo: LevelKind = {
  group: 'go to',
  defaults: { things: 18 },
  make(rooms, { things, doorsOpen }) {
    rooms.placeAgent();
    rooms.connectAll();
    const mission = goToAnyOf(rooms, things);
    if (doorsOpen) rooms.openAllDoors();
    return mission;
  },
};

function goToAnyOf(rooms: RoomGrid, things: number) {
  const added = rooms.addDistractors(things, { unique: false });
  rooms.rejectUnreachable();
  return { instruction: new GoTo(describe(rooms.random.choice(added))) };
}

/** The thing is in a locked room. */
export const goToImplicitUnlock: LevelKind = {
  group: 'go to',
  defaults: {},
  make(rooms) {
    const column = rooms.randomColumn();
    const row = rooms.randomRow();
    const door = rooms.addDoor(column, row, { locked: true });
    // The original wants other rooms than the locked one for the key and the distractors, but compares numbers by
    // identity, so that any room will do.
    rooms.addThing(rooms.randomColumn(), rooms.randomRow(), 'key', door.colour);
    rooms.connectAll();
    for (const room of rooms.roomsByColumn) rooms.addDistractors(2, { ...placeOf(room), unique: false });
    const locked = rooms.room(column, row);
    do rooms.placeAgent();
    while (rooms.roomAt(rooms.x, rooms.y) === locked);
    rooms.rejectUnreachable();
    const [thing] = rooms.addDistractors(1, { column, row, unique: false });
    return { instruction: new GoTo(describe(thing!)) };
  },
};

const placeOf = ({ column, row }: { readonly column: number; readonly row: number }) => ({ column, row });

/** A door of the middle room. */
export const goToDoor: LevelKind = {
  group: 'go to',
  defaults: { roomSize: 7 },
  make(rooms) {
    const doors = Array.from({ length: 4 }, () => rooms.addDoor(1, 1));
    rooms.placeAgent(1, 1);
    return { instruction: new GoTo(new Description({ kind: 'door', colour: rooms.random.choice(doors).colour })) };
  },
};

/** A door or a thing of the middle room. */
export const goToObjectOrDoor: LevelKind = {
  group: 'go to',
  defaults: { things: 8 },
  make(rooms, { things }) {
    rooms.placeAgent(1, 1);
    const targets = rooms.addDistractors(things, { column: 1, row: 1, unique: false });
    for (let side = 0; side < 4; side += 1) targets.push(rooms.addDoor(1, 1));
    rooms.rejectUnreachable();
    return { instruction: new GoTo(describe(rooms.random.choice(targets))) };
  },
};
