import { count, formatShare, percentRange } from '../format-quantity.js';
import type { ReportRate } from '../report-data.js';
import type { CellColumn } from './block.js';

/** Success over some episodes. */
export type ToldRate = ReportRate & { readonly episodes: number };

/** Success with its interval, as a bar and in numbers. */
export function rateColumns<Row>(of: (row: Row) => ToldRate): readonly CellColumn<Row>[] {
  return [
    {
      ...{ title: 'success, 0 to 100 %', kind: 'bar' },
      cell: (row) => ({ from: 0, to: 1, middle: of(row).rate, low: of(row).low, high: of(row).high }),
    },
    { title: 'success', kind: 'number', cell: (row) => ({ text: formatShare(of(row).rate), isStrong: true }) },
    { title: '95 % interval', kind: 'number', rank: 1, cell: (row) => percentRange(of(row).low, of(row).high) },
    { title: 'episodes', kind: 'number', rank: 5, cell: (row) => count(of(row).episodes) },
  ];
}
