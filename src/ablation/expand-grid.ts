import type { AblationFile } from '../config/ablation-schema.js';
import type { Json } from '../contracts/json.js';
import { createRandom } from '../random/create-random.js';
import type { CellPlan } from './ablation-plan.js';
import { cellOfLevels, type Level } from './cell-id.js';
import { levelNames } from './level-names.js';

type Grid = NonNullable<AblationFile['grid']>;
type Design = AblationFile['design'];

/** The values of each key, with their names. */
type Levels = readonly (readonly Level[])[];

/** The points of a grid that a design selects as cells, in a fixed order. The last key varies fastest. */
export function expandGrid(grid: Grid, design: Design, sample = Infinity): readonly CellPlan[] {
  return pointsOf(levelsOf(grid), design, sample).map(cellOfLevels);
}

function levelsOf(grid: Grid): Levels {
  return Object.entries(grid).map(([key, values]) => {
    if (!Array.isArray(values)) {
      return Object.entries(values).map(([text, value]) => ({ key, value, text, isName: true }));
    }
    const names = levelNames(key, values);
    return values.map((value: Json, index) => ({ key, value, ...(names[index] as (typeof names)[number]) }));
  });
}

function pointsOf(levels: Levels, design: Design, sample: number): readonly (readonly Level[])[] {
  switch (design) {
    case 'full':
      return Array.from({ length: sizeOf(levels) }, (_, index) => pointAt(levels, index));
    case 'one-at-a-time':
      return oneAtATime(levels);
    case 'paired':
      return (levels[0] ?? []).map((_, index) => levels.map((of) => of[index] as Level));
    case 'random':
      return drawn(levels, sample);
  }
}

/** Number of all points, which may be far more than fit into memory. */
export function gridSize(grid: Grid): number {
  return Object.values(grid).reduce((count, values) => count * Object.keys(values).length, 1);
}

function sizeOf(levels: Levels): number {
  return levels.reduce((count, { length }) => count * length, 1);
}

/**
 * The point with an index in [0, size). Its levels are the digits of the index in the mixed radix of the list lengths.
 */
function pointAt(levels: Levels, index: number): Level[] {
  let rest = index;
  return [...levels]
    .reverse()
    .map((of) => {
      const level = of[rest % of.length] as Level;
      rest = Math.floor(rest / of.length);
      return level;
    })
    .reverse();
}

/** One point with the first value of every list, and one point for each other value among first values. */
function oneAtATime(levels: Levels): Level[][] {
  const first = pointAt(levels, 0);
  const others = levels.flatMap((of, place) => of.slice(1).map((level) => first.with(place, level)));
  return [first, ...others];
}

/**
 * Distinct points drawn with a fixed seed. The same file gives the same cells, and a larger sample begins with the
 * points of a smaller one.
 */
function drawn(levels: Levels, sample: number): Level[][] {
  const size = sizeOf(levels);
  const random = createRandom(0).stream('grid');
  const chosen = new Set<number>();
  while (chosen.size < Math.min(sample, size)) chosen.add(random.integer(0, size));
  return [...chosen].map((index) => pointAt(levels, index));
}
