import { compareCells, type CellComparison } from './compare-cells.js';
import type { RunResult } from '../runs/run-result.js';
import type { Measure, RunOutcomes } from './read-outcomes.js';

/** How much of the learning on each row carries over to the columns. */
export interface TransferSummary {
  /** Ids of the training environments: the rows of the matrix. */
  readonly trained: readonly string[];
  /** Names of the test environments: its columns. */
  readonly tested: readonly string[];
  /**
   * For each row `b`, the mean difference to the rows that trained on the other columns, over these columns with equal
   * weights. Holm's correction covers all rows. A row that shares no seed with all others is left out.
   */
  readonly elsewhere: readonly CellComparison[];
  /** The row that loses least elsewhere, compared with each other row over all columns. Absent without a second row. */
  readonly best?: { readonly trained: string; readonly against: readonly CellComparison[] };
  /** Notes about the columns for readers of the matrix. */
  readonly notes: readonly string[];
}

/** Notes for columns that the oracle cannot solve within the horizon. Its success is an upper limit in practice. */
function ceilingNotes(tested: readonly string[], results: readonly Pick<RunResult, 'environments'>[]): string[] {
  return tested.flatMap((column) => {
    const oracle = results.flatMap(({ environments }) => environments?.[column]?.baselines.oracle ?? [])[0];
    if (oracle === undefined || oracle.truncated === 0) return [];
    const solved = `${(100 * oracle.success.rate).toFixed(1)} %`;
    const cut = `${(100 * oracle.truncated).toFixed(1)} % of its episodes are cut`;
    return [`On ${column} the oracle solves ${solved}: ${cut}. A longer \`evaluation.horizon\` would avoid this.`];
  });
}

/** Name of the reference that the rows of `elsewhere` are compared with. */
export const trainedThere = 'trained-there';

/** Outcomes of the runs that trained on a row, on the tasks of a column. */
type OutcomesOf = (trained: string, tested: string) => readonly RunOutcomes[];

/**
 * Compares rows over columns. The losses of two rows leave out different columns, namely their own. But their
 * difference is, up to a factor, the mean over all columns of the difference between the two rows. The best row is
 * compared with the others in this way.
 *
 * @param results of complete runs, for the results of the baselines
 */
export function summarizeTransfer(
  trained: readonly string[],
  tested: readonly string[],
  outcomesOf: OutcomesOf,
  measure: Measure,
  results: readonly Pick<RunResult, 'environments'>[],
): TransferSummary {
  const outcomes = new Map(
    trained.flatMap((row) => {
      const others = tested.filter((column) => column !== row);
      const own = (column: string) => outcomesOf(row, column);
      const native = (column: string) => outcomesOf(column, column);
      return [
        [there(row), stack(others, native)] as const,
        [elsewhereOf(row), stack(others, own)] as const,
        [row, stack(tested, own)] as const,
      ];
    }),
  );
  const losses = compareCells(
    trained.map((row) => [there(row), elsewhereOf(row)]),
    outcomes,
    measure,
  );
  const elsewhere = trained.flatMap((row) =>
    losses.filter(({ b }) => b === elsewhereOf(row)).map((loss) => ({ ...loss, a: trainedThere, b: row })),
  );
  const notes = ceilingNotes(tested, results);
  const sign = measure === 'turns' ? 1 : -1;
  const [best, ...others] = [...elsewhere].sort((x, y) => sign * (x.difference.mean - y.difference.mean));
  if (best === undefined || others.length === 0) return { trained, tested, elsewhere, notes };
  const pairs = others.map(({ b }) => [b, best.b] as const);
  return {
    trained,
    tested,
    elsewhere,
    notes,
    best: { trained: best.b, against: compareCells(pairs, outcomes, measure) },
  };
}

const there = (row: string) => `there/${row}`;
const elsewhereOf = (row: string) => `elsewhere/${row}`;

/**
 * Combines the runs of one seed on several columns into one run on all their tasks. Every column has the same weight.
 * Seeds that lack a column are left out.
 */
function stack(columns: readonly string[], outcomesOf: (column: string) => readonly RunOutcomes[]): RunOutcomes[] {
  const played = columns.map((column) => [column, outcomesOf(column)] as const);
  const [, first = []] = played[0] ?? [];
  return first.flatMap(({ seed }) => {
    const parts = played.flatMap(([column, runs]) => {
      const run = runs.find((one) => one.seed === seed);
      return run === undefined ? [] : [[column, run] as const];
    });
    if (parts.length < columns.length) return [];
    const all = <T>(read: (run: RunOutcomes, column: string) => Iterable<readonly [task: string, value: T]>) =>
      new Map(
        parts.flatMap(([column, run]) =>
          [...read(run, column)].map(([task, value]) => [`${column}/${task}`, value] as const),
        ),
      );
    return {
      seed,
      values: all(({ values }) => values),
      clusters: all(({ clusters }, column) => [...clusters].map(([task, cluster]) => [task, `${column}/${cluster}`])),
      weights: all(({ values }) => [...values.keys()].map((task) => [task, 1 / values.size])),
    };
  });
}
