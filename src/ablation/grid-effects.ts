import { crossedDifference } from '../statistics/crossed-difference.js';
import { correctByHolm } from '../statistics/holm.js';
import type { OutcomeMatrix } from '../statistics/outcome-matrix.js';
import type { CellPlan } from './ablation-plan.js';
import { boundsOf, sharedTasks, toCellMean, type CellComparison } from './compare-cells.js';
import type { Measure, RunOutcomes } from './read-outcomes.js';

/**
 * A main effect of one key of a grid, or an interaction of two keys. A main effect is the mean difference of `b` to
 * `a`, the first value of the key, over all values of the other keys. An interaction is the difference of two
 * differences: how much more `b` gains over the first value of its key with `a` than with the first value of the key of
 * `a`.
 */
export interface GridEffect extends Omit<CellComparison, 'design'> {
  readonly kind: 'main' | 'interaction';
}

type Row = OutcomeMatrix[number];
type GridCell = Pick<CellPlan, 'id'> & { readonly levels: Readonly<Record<string, string>> };

/**
 * Main effects and interactions of a full grid of two keys or more, over the seeds and tasks that all of its cells
 * have. Empty if a cell is missing. Holm's correction covers all effects, separately from the comparisons of cells.
 */
export function gridEffects(
  cells: readonly Pick<CellPlan, 'id' | 'levels'>[],
  outcomes: ReadonlyMap<string, readonly RunOutcomes[]>,
  measure: Measure,
): readonly GridEffect[] {
  const grid = cells.filter((cell): cell is GridCell => cell.levels !== undefined);
  const keys = variedKeys(grid);
  const size = keys.reduce((product, { levels }) => product * levels.length, 1);
  if (keys.length < 2 || grid.length !== size) return [];
  const played = matricesOf(grid, outcomes);
  if (played === undefined) return [];
  const { matrices, weights, tasks, seeds } = played;
  const meanOf = (wanted: (cell: GridCell) => boolean): OutcomeMatrix =>
    meanMatrix(grid.filter(wanted).map(({ id }) => matrices.get(id) as OutcomeMatrix));
  const effect = (
    kind: GridEffect['kind'],
    [a, b]: readonly [string, string],
    first: OutcomeMatrix,
    second: OutcomeMatrix,
    scale: number,
  ) => {
    const found = crossedDifference(first, second, { weights, ...boundsOf(measure) });
    const { mean, low, high, ...rest } = toCellMean(found);
    const difference = { mean: scale * mean, low: scale * low, high: scale * high, ...rest };
    return { kind, a, b, difference, p: found.p, seeds, tasks };
  };
  const main = keys.flatMap(({ key, levels: [first = '', ...others] }) =>
    others.map((level) => {
      const at = (value: string) => meanOf(({ levels }) => levels[key] === value);
      return effect('main', [first, level], at(first), at(level), 1);
    }),
  );
  const together = keys.flatMap((one, index) =>
    keys.slice(index + 1).flatMap((other) => {
      const [[firstA = '', ...as], [firstB = '', ...bs]] = [one.levels, other.levels];
      return as.flatMap((a) =>
        bs.map((b) => {
          // Cells with both `a` and `b` or neither, minus cells with one of them, give half of the difference of
          // differences.
          const is = ({ levels }: GridCell, x: string, y: string) => levels[one.key] === x && levels[other.key] === y;
          const apart = meanOf((cell) => is(cell, a, firstB) || is(cell, firstA, b));
          const joint = meanOf((cell) => is(cell, a, b) || is(cell, firstA, firstB));
          return effect('interaction', [a, b], apart, joint, 2);
        }),
      );
    }),
  );
  return correctByHolm([...main, ...together]);
}

/** Keys with two or more values. The values are in the order of the grid. */
function variedKeys(grid: readonly GridCell[]): { readonly key: string; readonly levels: readonly string[] }[] {
  return Object.keys(grid[0]?.levels ?? {})
    .map((key) => ({ key, levels: [...new Set(grid.map(({ levels }) => levels[key] ?? ''))] }))
    .filter(({ levels }) => levels.length > 1);
}

/** The outcomes of each cell, by seed and task. Undefined if the cells do not share seeds and tasks. */
function matricesOf(grid: readonly GridCell[], outcomes: ReadonlyMap<string, readonly RunOutcomes[]>) {
  const runs = grid.map(({ id }) => outcomes.get(id) ?? []);
  const seeds = (runs[0] ?? [])
    .map(({ seed }) => seed)
    .filter((seed) => runs.every((of) => of.some((run) => run.seed === seed)));
  const ordered = runs.flatMap((of) => seeds.flatMap((seed) => of.find((run) => run.seed === seed) ?? []));
  const shared = seeds.length === 0 ? undefined : sharedTasks(ordered);
  if (shared === undefined) return undefined;
  const { rows, weights, tasks } = shared;
  const matrices = new Map(
    grid.map(({ id }, index) => [id, rows.slice(index * seeds.length, (index + 1) * seeds.length)] as const),
  );
  return { matrices, weights, tasks, seeds: seeds.length };
}

function meanMatrix(matrices: readonly OutcomeMatrix[]): OutcomeMatrix {
  const [first = []] = matrices;
  return first.map((row: Row, seed) =>
    row.map((_, task) => matrices.reduce((sum, of) => sum + (of[seed]?.[task] ?? Number.NaN), 0) / matrices.length),
  );
}
