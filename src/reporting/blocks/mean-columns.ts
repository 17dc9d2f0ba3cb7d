import { count } from '../format-quantity.js';
import type { ReportMean, ReportRate } from '../report-data.js';
import { numberColumn, type BlockCell, type CellColumn } from './block.js';
import { meanText, rangeText } from './measure-text.js';

/** Success over some episodes. */
export type ToldRate = ReportRate & { readonly episodes: number };

/**
 * The mean of a measure and its interval in numbers; success also as a bar.
 *
 * @param of null for a row without a mean
 * @param ticksOf single values behind the mean
 */
export function meanColumns<Row>(
  measure: string,
  of: (row: Row) => ReportMean | null,
  ticksOf: (row: Row) => readonly number[] = () => [],
): readonly CellColumn<Row>[] {
  const cell = (without: string, draw: (mean: ReportMean, row: Row) => BlockCell) => (row: Row) => {
    const mean = of(row);
    return mean === null ? without : draw(mean, row);
  };
  const bar: CellColumn<Row> = {
    title: 'success, 0 to 100 %',
    kind: 'bar',
    cell: cell('', ({ mean, low, high }, row) => ({ from: 0, to: 1, middle: mean, low, high, ticks: ticksOf(row) })),
  };
  const strong = cell('–', ({ mean }) => ({ text: meanText(measure, mean), isStrong: true }));
  const range = cell('–', (mean) => ({ text: rangeText(measure, mean), reservation: mean.reservation }));
  return [
    ...(measure === 'success' ? [bar] : []),
    numberColumn(measure, strong),
    numberColumn('95 % interval', range, { rank: 1 }),
  ];
}

/** Success with its interval, and the number of its episodes. */
export function rateColumns<Row>(of: (row: Row) => ToldRate): readonly CellColumn<Row>[] {
  const meanOf = (row: Row) => {
    const { rate, low, high } = of(row);
    return { mean: rate, low, high };
  };
  return [...meanColumns('success', meanOf), numberColumn('episodes', (row) => count(of(row).episodes), { rank: 5 })];
}
