import { alignColumns } from '../reporting/align-columns.js';
import { displayWidth } from '../reporting/display-text.js';
import { paint, type TerminalStyle } from '../reporting/terminal-style.js';
import { titleOf, type AblationResult, type CellSummary } from './ablation-result.js';
import { testedId } from './cell-id.js';
import type { CellComparison, CellMean } from './compare-cells.js';
import { formatInterval, formatMean, formatMeasure } from './format-measure.js';
import type { Measure } from './read-outcomes.js';
import type { TransferSummary } from './transfer-summary.js';

/** The mean of a cell at the compared measure. Null before its first run is complete. */
export function measuredMean({ success, measured }: CellSummary, measure: Measure): CellMean | null {
  return measure === 'success' ? success && meanOf(success) : (measured ?? null);
}

/** Every interval that an ablation reports. */
export function estimatesOf({
  cells,
  comparisons,
  effects = [],
  measure,
  transfer,
}: Pick<AblationResult, 'cells' | 'comparisons' | 'effects' | 'measure' | 'transfer'>): readonly CellMean[] {
  return [
    ...cells.flatMap((cell) => measuredMean(cell, measure) ?? []),
    ...[...comparisons, ...effects, ...(transfer?.elsewhere ?? [])].map(({ difference }) => difference),
  ];
}

function meanOf({ rate, ...interval }: NonNullable<CellSummary['success']>): CellMean {
  return { mean: rate, ...interval };
}

/** The cell of a row and a column. */
export function cellOf(cells: readonly CellSummary[], trained: string, tested: string): CellSummary | undefined {
  return cells.find(({ id }) => id === testedId(trained, tested));
}

/**
 * The comparisons with names for people: the policy trained on a row and tested on a column, against the one trained
 * there.
 */
export function namedComparisons({
  cells,
  comparisons,
}: Pick<AblationResult, 'cells' | 'comparisons'>): readonly CellComparison[] {
  return comparisons.map((comparison) => {
    const { trained, tested } = cells.find(({ id }) => id === comparison.b) ?? {};
    if (trained === undefined || tested === undefined) {
      return { ...comparison, a: titleOf(cells, comparison.a), b: titleOf(cells, comparison.b) };
    }
    return { ...comparison, a: 'trained there', b: `${trained} on ${tested}` };
  });
}

/**
 * Rows are training environments, columns are test environments. The last column is the mean difference to the cells
 * trained on the other columns. Intervals are left out if the terminal is too narrow. Columns are numbered like the
 * rows if their names are too long.
 */
export function transferLines(
  { cells, measure }: Pick<AblationResult, 'cells' | 'measure'>,
  transfer: TransferSummary,
  style: TerminalStyle,
): string[] {
  const { trained, tested, elsewhere } = transfer;
  const table = (columnName: (column: string) => string, rowName: (row: string) => string, withInterval: boolean) =>
    alignColumns([
      ['trained on', ...tested.map(columnName), 'elsewhere', 'seeds'],
      ...trained.map((row) => {
        const loss = elsewhere.find(({ b }) => b === row)?.difference ?? null;
        const runs = cellOf(cells, row, row);
        return [
          rowName(row),
          ...tested.map((column) => {
            const cell = cellOf(cells, row, column);
            const mean = cell === undefined ? null : measuredMean(cell, measure);
            const interval = withInterval && mean !== null ? ` (${formatInterval(mean, measure)})` : '';
            return `${formatMean(mean, measure)}${row === column ? ' *' : ''}${interval}`;
          }),
          loss === null ? '-' : formatMeasure(loss.mean, measure),
          runs === undefined ? '' : `${runs.seeds.length}/${runs.runs.length}`,
        ];
      }),
    ]);
  const number = (name: string) => `[${trained.indexOf(name) + 1}]`;
  const same = (name: string) => name;
  const numbered = (name: string) => `${number(name)} ${name}`;
  const tables = [table(same, same, true), table(same, same, false), table(number, numbered, false)];
  const fits = tables.find((lines) => lines.every((line) => displayWidth(line) <= style.width));
  const [head = '', ...rows] = fits ?? tables.at(-1) ?? [];
  const unit = measure === 'success' ? 'points' : measure;
  return [
    paint(`${measure}: rows are trained on, columns are tested on`, 'dim', style),
    paint(head, 'dim', style),
    ...rows,
    paint(
      `* trained on this column; elsewhere: mean difference in ${unit} to the cells trained on the other columns`,
      'dim',
      style,
    ),
  ];
}
