// minigrid/envs/babyai/putnext.py, and `MoveTwoAcross` of minigrid/envs/babyai/other.py.
import { PutNext } from '../../instructions/commands.js';
import { Sequence } from '../../instructions/sequences.js';
import type { Thing } from '../../world/thing.js';
import { describe } from '../describe.js';
import type { LevelKind } from '../level-kind.js';

const put = (moved: Thing, fixed: Thing) => new PutNext(describe(moved), describe(fixed));

export const putNextLocal: LevelKind = {
  group: 'put next',
  defaults: { rows: 1, columns: 1, things: 8 },
  make(rooms, { things }) {
    rooms.placeAgent();
    const added = rooms.addDistractors(things);
    rooms.rejectUnreachable();
    const [moved, fixed] = rooms.random.subset(added, 2);
    return { instruction: put(moved!, fixed!) };
  },
};

/** Two rooms without a wall between them; the agent carries from one to the other. */
export const putNext: LevelKind = {
  group: 'put next',
  defaults: { rows: 1, columns: 2, stepsPerCell: 8 },
  make(rooms, { things, startsCarrying }) {
    rooms.placeAgent(0, 0);
    const left = rooms.addDistractors(things, { column: 0, row: 0 });
    const right = rooms.addDistractors(things, { column: 1, row: 0 });
    rooms.removeWall(0, 0, 0);
    const pair = [rooms.random.choice(left), rooms.random.choice(right)];
    if (rooms.random.coin()) pair.reverse();
    const [moved, fixed] = pair;
    return { instruction: put(moved!, fixed!), ...(startsCarrying && { carried: moved! }) };
  },
};

export const moveTwoAcross: LevelKind = {
  group: 'other',
  defaults: { rows: 1, columns: 2, stepsPerCell: 16 },
  make(rooms, { things }) {
    rooms.placeAgent(0, 0);
    const left = rooms.addDistractors(things, { column: 0, row: 0 });
    const right = rooms.addDistractors(things, { column: 1, row: 0 });
    rooms.removeWall(0, 0, 0);
    const [a, d] = rooms.random.subset(left, 2);
    const [b, c] = rooms.random.subset(right, 2);
    return { instruction: new Sequence([put(a!, b!), put(c!, d!)], 'then') };
  },
};
