import type { AblationFile } from '../config/ablation-schema.js';
import type { Json } from '../contracts/json.js';
import { createRandom } from '../random/create-random.js';
import type { CellPlan, CellSettings } from './ablation-plan.js';
import { cellId } from './cell-id.js';

type Grid = NonNullable<AblationFile['grid']>;
type Design = AblationFile['design'];

/** The points of a grid that a design makes cells of, in a fixed order; the last key varies fastest. */
export function expandGrid(grid: Grid, design: Design, sample = Infinity): readonly CellPlan[] {
  const points = pointsOf(grid, design, sample);
  return points.map((settings) => ({ id: cellId(settings, Object.keys(grid)), settings }));
}

function pointsOf(grid: Grid, design: Design, sample: number): readonly CellSettings[] {
  switch (design) {
    case 'full':
      return product(grid);
    case 'one-at-a-time':
      return oneAtATime(grid);
    case 'paired':
      return paired(grid);
    case 'random':
      return drawn(grid, sample);
  }
}

/** Number of all points, which may be far more than fit into memory. */
export function gridSize(grid: Grid): number {
  return Object.values(grid).reduce((count, { length }) => count * length, 1);
}

function product(grid: Grid): CellSettings[] {
  return Array.from({ length: gridSize(grid) }, (_, index) => pointAt(grid, index));
}

/** The point of a number in [0, size): its digits in the mixed radix of the lists' lengths. */
function pointAt(grid: Grid, index: number): CellSettings {
  let rest = index;
  const digits = Object.entries(grid)
    .reverse()
    .map(([key, values]): [string, Json] => {
      const value = values[rest % values.length] as Json;
      rest = Math.floor(rest / values.length);
      return [key, value];
    });
  return Object.fromEntries(digits.reverse());
}

/** The first values of all lists, and each other value alone among first values. */
function oneAtATime(grid: Grid): CellSettings[] {
  const first = pointAt(grid, 0);
  const others = Object.entries(grid).flatMap(([key, values]) =>
    values.slice(1).map((value) => ({ ...first, [key]: value })),
  );
  return [first, ...others];
}

function paired(grid: Grid): CellSettings[] {
  const length = Object.values(grid)[0]?.length ?? 0;
  return Array.from({ length }, (_, index) =>
    Object.fromEntries(Object.entries(grid).map(([key, values]) => [key, values[index] as Json])),
  );
}

/** Different points, drawn by a fixed seed: the same file gives the same cells, and a larger sample begins with the smaller one's. */
function drawn(grid: Grid, sample: number): CellSettings[] {
  const size = gridSize(grid);
  const random = createRandom(0).stream('grid');
  const chosen = new Set<number>();
  while (chosen.size < Math.min(sample, size)) chosen.add(random.integer(0, size));
  return [...chosen].map((index) => pointAt(grid, index));
}
