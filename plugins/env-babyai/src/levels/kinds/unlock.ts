// minigrid/envs/babyai/unlock.py
import { Open, PickUp } from '../../instructions/commands.js';
import { sortedColours, Thing } from '../../world/thing.js';
import { describe, describeKind } from '../describe.js';
import type { LevelKind } from '../level-kind.js';

export const unlock: LevelKind = {
  group: 'unlock',
  defaults: { things: 3 },
  make(rooms, { things }) {
    const column = rooms.randomColumn();
    const row = rooms.randomRow();
    const door = rooms.addDoor(column, row, { locked: true });
    // As in `goToImplicitUnlock`, the locked room is not left out as the original means to.
    rooms.addThing(rooms.randomColumn(), rooms.randomRow(), 'key', door.colour);
    if (rooms.random.coin()) rooms.connectAll(sortedColours.filter((colour) => colour !== door.colour));
    else rooms.connectAll();
    for (const room of rooms.roomsByColumn) {
      rooms.addDistractors(things, { column: room.column, row: room.row, unique: false });
    }
    const locked = rooms.room(column, row);
    do rooms.placeAgent();
    while (rooms.roomAt(rooms.x, rooms.y) === locked);
    rooms.rejectUnreachable();
    return { instruction: new Open(describe(door)) };
  },
};

/** The only door of the middle room; its key is in the room. */
export const unlockLocal: LevelKind = {
  group: 'unlock',
  defaults: {},
  make(rooms, { things }) {
    const door = rooms.addDoor(1, 1, { locked: true });
    rooms.addThing(1, 1, 'key', door.colour);
    rooms.addDistractors(things, { column: 1, row: 1 });
    rooms.placeAgent(1, 1);
    return { instruction: new Open(describeKind(door)) };
  },
};

export const keyInBox: LevelKind = {
  group: 'unlock',
  defaults: {},
  make(rooms) {
    const door = rooms.addDoor(1, 1, { locked: true });
    const box = new Thing('box', rooms.randomColour());
    box.content = new Thing('key', door.colour);
    rooms.placeInRoom(1, 1, box);
    rooms.placeAgent(1, 1);
    return { instruction: new Open(describeKind(door)) };
  },
};

/** A box behind a locked door. */
export const unlockPickUp: LevelKind = {
  group: 'unlock',
  defaults: { roomSize: 6, rows: 1, columns: 2 },
  make(rooms, { things }) {
    const box = rooms.addThing(1, 0, 'box');
    const door = rooms.addDoor(0, 0, { side: 0, locked: true });
    rooms.addThing(0, 0, 'key', door.colour);
    rooms.addDistractors(things);
    rooms.placeAgent(0, 0);
    return { instruction: new PickUp(describe(box)) };
  },
};

/** The same, with a ball before the door. */
export const blockedUnlockPickUp: LevelKind = {
  group: 'unlock',
  defaults: { roomSize: 6, rows: 1, columns: 2, stepsPerCell: 16 },
  make(rooms) {
    const box = rooms.addThing(1, 0, 'box');
    const door = rooms.addDoor(0, 0, { side: 0, locked: true });
    rooms.grid.place(new Thing('ball', rooms.randomColour()), door.x - 1, door.y);
    rooms.addThing(0, 0, 'key', door.colour);
    rooms.placeAgent(0, 0);
    return { instruction: new PickUp(describeKind(box)) };
  },
};

/** The key of the left door is behind the right door. */
export const unlockToUnlock: LevelKind = {
  group: 'unlock',
  defaults: { roomSize: 6, rows: 1, columns: 3, stepsPerCell: 30 },
  make(rooms) {
    const [left, right] = rooms.random.subset(sortedColours, 2);
    rooms.addDoor(0, 0, { side: 0, colour: left!, locked: true });
    rooms.addThing(2, 0, 'key', left);
    rooms.addDoor(1, 0, { side: 0, colour: right!, locked: true });
    rooms.addThing(1, 0, 'key', right);
    const ball = rooms.addThing(0, 0, 'ball');
    rooms.placeAgent(1, 0);
    return { instruction: new PickUp(describeKind(ball)) };
  },
};
