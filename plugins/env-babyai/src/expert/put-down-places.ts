import type { Grid } from '../world/grid.js';

/** The eight cells around a cell, in a circle. */
const circle = [
  [0, -1],
  [1, -1],
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
] as const;

/**
 * Whether something can lie in this free cell without parting what is around it: the free cells and doors beside it stay
 * connected along the circle around it.
 */
export function blocksNothing(grid: Grid, x: number, y: number): boolean {
  const open = circle.map(([right, down]) => {
    const thing = grid.get(x + right, y + down);
    return thing === undefined || thing.kind === 'door';
  });
  let parts = 0;
  // A corner belongs to the part of a side only if the side is open; a side begins a part where the way before it ends.
  for (let side = 0; side < circle.length; side += 2) {
    if (open[side] && !(open[(side + 7) % 8] && open[(side + 6) % 8])) parts += 1;
  }
  return parts <= 1;
}
