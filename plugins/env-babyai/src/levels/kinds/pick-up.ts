// minigrid/envs/babyai/pickup.py, and the levels of minigrid/envs/babyai/other.py that pick something up.
import { GoTo, Open, PickUp } from '../../instructions/commands.js';
import { Description } from '../../instructions/description.js';
import { describe, describeKind } from '../describe.js';
import { RejectedLevel } from '../level-errors.js';
import type { LevelKind } from '../level-kind.js';

export const pickUp: LevelKind = {
  group: 'pick up',
  defaults: { things: 18 },
  make(rooms, { things }) {
    rooms.placeAgent();
    rooms.connectAll();
    const added = rooms.addDistractors(things, { unique: false });
    rooms.rejectUnreachable();
    return { instruction: new PickUp(describe(rooms.random.choice(added))) };
  },
};

/** At least one thing stands behind others. */
export const unblockPickUp: LevelKind = {
  group: 'pick up',
  defaults: { things: 20 },
  make(rooms, { things }) {
    rooms.placeAgent();
    rooms.connectAll();
    const added = rooms.addDistractors(things, { unique: false });
    if (rooms.allReachable) throw new RejectedLevel('nothing stands behind others');
    return { instruction: new PickUp(describe(rooms.random.choice(added))) };
  },
};

/** By kind, by colour or by both. */
export const pickUpDescribed: LevelKind = {
  group: 'pick up',
  defaults: { roomSize: 7, rows: 1, columns: 1, things: 5 },
  make(rooms, { things, strict }) {
    const added = rooms.addDistractors(things);
    rooms.placeAgent(0, 0);
    const thing = rooms.random.choice(added);
    const by = rooms.random.choice(['kind', 'colour', 'both']);
    const wanted =
      by === 'both' ? describe(thing) : by === 'kind' ? describeKind(thing) : new Description({ colour: thing.colour });
    return { instruction: new PickUp(wanted, strict) };
  },
};

/** In the room above. */
export const pickUpAbove: LevelKind = {
  group: 'pick up',
  defaults: { roomSize: 6, stepsPerCell: 8 },
  make(rooms) {
    const thing = rooms.addThing(1, 0);
    rooms.addDoor(1, 1, { side: 3, locked: false });
    rooms.placeAgent(1, 1);
    rooms.connectAll();
    return { instruction: new PickUp(describe(thing)) };
  },
};

/** A thing or a door of the middle room: go to it, pick it up, or open it. */
export const actOnObjectOrDoor: LevelKind = {
  group: 'other',
  defaults: { roomSize: 7, things: 5 },
  make(rooms, { things }) {
    const targets = rooms.addDistractors(things, { column: 1, row: 1 });
    for (let side = 0; side < 4; side += 1) targets.push(rooms.addDoor(1, 1, { locked: false }));
    rooms.placeAgent(1, 1);
    const target = rooms.random.choice(targets);
    if (rooms.random.coin()) return { instruction: new GoTo(describe(target)) };
    return { instruction: target.kind === 'door' ? new Open(describe(target)) : new PickUp(describe(target)) };
  },
};

/** The only thing of the map, in any room. */
export const findObject: LevelKind = {
  group: 'other',
  defaults: { roomSize: 5, stepsPerCell: 20 },
  make(rooms) {
    // The original draws a column from the number of rows, which is the same here.
    const column = rooms.randomRow();
    const thing = rooms.addThing(column, rooms.randomColumn());
    rooms.placeAgent(1, 1);
    rooms.connectAll();
    return { instruction: new PickUp(describeKind(thing)) };
  },
};

/** A ball behind a locked door on the right of a corridor; the key is on its left. */
export const keyCorridor: LevelKind = {
  group: 'other',
  defaults: { roomSize: 6, stepsPerCell: 30 },
  make(rooms, { rows }) {
    for (let row = 1; row < rows; row += 1) rooms.removeWall(1, row, 3);
    const row = rooms.randomRow();
    const door = rooms.addDoor(2, row, { side: 2, locked: true });
    const ball = rooms.addThing(2, row, 'ball');
    rooms.addThing(0, rooms.randomRow(), 'key', door.colour);
    rooms.placeAgent(1, Math.floor(rows / 2));
    rooms.connectAll();
    return { instruction: new PickUp(describeKind(ball)) };
  },
};

export const oneRoom: LevelKind = {
  group: 'other',
  defaults: { rows: 1, columns: 1 },
  make(rooms) {
    const ball = rooms.addThing(0, 0, 'ball');
    rooms.placeAgent();
    return { instruction: new PickUp(describeKind(ball)) };
  },
};
