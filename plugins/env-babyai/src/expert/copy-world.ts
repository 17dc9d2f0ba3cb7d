import { Grid } from '../world/grid.js';
import { Thing } from '../world/thing.js';
import { GridWorld } from '../world/world.js';

/** A world with the same future, whose play changes nothing in the given one. */
export function copyWorld(world: GridWorld): GridWorld {
  const copies = new Map<Thing, Thing>();
  const copyOf = (thing: Thing): Thing => {
    if (thing.kind === 'wall') return thing;
    const known = copies.get(thing);
    if (known !== undefined) return known;
    const copied = new Thing(thing.kind, thing.colour, thing.state);
    copied.x = thing.x;
    copied.y = thing.y;
    copies.set(thing, copied);
    if (thing.content !== undefined) copied.content = copyOf(thing.content);
    return copied;
  };
  const grid = new Grid(world.grid.width, world.grid.height);
  for (const [at, thing] of world.grid.cells.entries()) if (thing !== undefined) grid.cells[at] = copyOf(thing);
  const beginning = {
    grid,
    x: world.x,
    y: world.y,
    direction: world.direction,
    carrying: world.carrying === undefined ? undefined : copyOf(world.carrying),
    instruction: world.instruction.copy(copyOf),
    maxSteps: world.maxSteps,
  };
  const copied = new GridWorld(beginning, world.rules);
  copied.steps = world.steps;
  return copied;
}
