import { describe, expect, it } from 'vitest';

import { Grid } from '../world/grid.js';
import { Thing, type Colour, type Kind } from '../world/thing.js';
import { action, type Action, type Rules } from '../world/world-state.js';
import { GridWorld } from '../world/world.js';
import { GoTo, Open, PickUp, PutNext } from './commands.js';
import { Description, type Wanted } from './description.js';
import type { Instruction } from './instruction.js';
import { Both, Sequence } from './sequences.js';

/** A row of free cells within walls, with things by column; the agent stands at its left end and looks right. */
function row(
  instruction: Instruction,
  things: readonly (readonly [number, Kind, Colour])[],
  rules: Rules = 'original',
) {
  const grid = new Grid(10, 3);
  grid.wallRectangle(0, 0, 10, 3);
  for (const [x, kind, colour] of things) grid.place(new Thing(kind, colour), x, 1);
  const start = { grid, x: 1, y: 1, direction: 0 as const, carrying: undefined, instruction, maxSteps: 100 };
  instruction.begin({ ...start, roomSize: 10 });
  return new GridWorld(start, rules);
}

const the = (wanted: Wanted) => new Description(wanted);
const { left, forward, pickup, drop, toggle } = action;
const play = (world: GridWorld, ...actions: Action[]) => actions.map((given) => world.step(given));

describe('going to something', () => {
  it('is done by facing it', () => {
    const world = row(new GoTo(the({ kind: 'ball' })), [[4, 'ball', 'red']]);
    expect(play(world, forward, forward)).toEqual([undefined, 'success']);
  });

  it('counts where it was, until something is dropped', () => {
    const world = row(new GoTo(the({ kind: 'ball' })), [
      [2, 'key', 'red'],
      [3, 'ball', 'red'],
    ]);
    expect(play(world, pickup, forward)).toEqual([undefined, 'success']);
    const [ball] = world.grid.cells.filter((thing) => thing?.kind === 'ball');
    world.grid.set(3, 1, undefined);
    ball!.x = -1;
    // The ball is gone, but nobody looked.
    expect(play(world, left, action.right)).toEqual([undefined, 'success']);
    expect(play(world, drop)).toEqual([undefined]);
  });
});

describe('picking something up', () => {
  it('counts a thing only with hands that were empty at the step before', () => {
    // Waits for the key first, so that the other command sees the hands only then.
    const world = row(new PickUp(the({ kind: 'ball' })), [[2, 'ball', 'red']]);
    expect(play(world, pickup)).toEqual(['success']);
    expect(play(world, pickup)).toEqual([undefined]);
  });

  it('fails at once with something else if it is strict', () => {
    const things = [[2, 'key', 'red']] as const;
    expect(play(row(new PickUp(the({ kind: 'ball' }), true), things), pickup)).toEqual(['failure']);
    expect(play(row(new PickUp(the({ kind: 'ball' })), things), pickup)).toEqual([undefined]);
  });
});

describe('opening a door', () => {
  it('is done by the toggle that opens it; closing it is a failure if it is strict', () => {
    const strict = row(new Open(the({ kind: 'door' }), true), [[2, 'door', 'red']]);
    expect(play(strict, toggle, toggle, toggle)).toEqual(['success', 'failure', 'success']);
    const free = row(new Open(the({ kind: 'door' })), [[2, 'door', 'red']]);
    expect(play(free, toggle, toggle, toggle)).toEqual(['success', undefined, 'success']);
  });
});

describe('putting something next to another', () => {
  const put = () => new PutNext(the({ kind: 'key' }), the({ kind: 'ball' }));

  it('is done by the drop beside it', () => {
    const world = row(put(), [
      [2, 'key', 'red'],
      [5, 'ball', 'red'],
    ]);
    expect(play(world, pickup, forward, forward, drop)).toEqual([undefined, undefined, undefined, 'success']);
  });

  it('counts neither a drop elsewhere, nor a thing that was not seen in the hands', () => {
    const world = row(put(), [
      [2, 'key', 'red'],
      [5, 'ball', 'red'],
    ]);
    expect(play(world, pickup, drop)).toEqual([undefined, undefined]);
    const carrying = row(put(), [
      [2, 'key', 'red'],
      [3, 'ball', 'red'],
    ]);
    const key = carrying.grid.get(2, 1)!;
    carrying.grid.set(2, 1, undefined);
    carrying.carrying = key;
    expect(play(carrying, drop)).toEqual([undefined]);
    expect(play(carrying, pickup, drop)).toEqual([undefined, 'success']);
  });
});

describe('two commands', () => {
  const doors = [
    [2, 'door', 'red'],
    [3, 'door', 'blue'],
  ] as const;
  const open = (colour: Colour, strict = false) => new Open(the({ kind: 'door', colour }), strict);

  it('in a sequence wait for the first', () => {
    const then = row(new Sequence([open('red'), open('blue')], 'then'), doors);
    expect(play(then, toggle, forward, toggle)).toEqual([undefined, undefined, 'success']);
    const after = row(new Sequence([open('red'), open('blue')], 'after you'), doors);
    expect(play(after, toggle, forward, toggle)).toEqual([undefined, undefined, undefined]);
    expect(after.instruction.words).toBe('open the red door after you open the blue door');
  });

  it('that are strict fail with the first one by the rules of the original, but not by fair ones', () => {
    const strict = () => new Sequence([open('red', true), open('blue', true)], 'then');
    expect(play(row(strict(), doors), toggle)).toEqual(['failure']);
    expect(play(row(strict(), doors, 'fair'), toggle, forward, toggle)).toEqual([undefined, undefined, 'success']);
    expect(play(row(strict(), doors, 'fair'), toggle, toggle)).toEqual([undefined, 'failure']);
  });

  it('with "and" may be done in any order', () => {
    const world = row(new Both([open('blue'), open('red')]), doors);
    expect(world.instruction.open).toHaveLength(2);
    expect(play(world, toggle)).toEqual([undefined]);
    expect(world.instruction.open.map(({ words }) => words)).toEqual(['open the blue door']);
    expect(play(world, forward, toggle)).toEqual([undefined, 'success']);
  });
});
