import type { ReportMean, ReportTransfer } from '../report-data.js';
import { explanation, heading, numberColumn, tableOf, textColumn, type Block, type BlockCell } from './block.js';
import { signedRange, signedText, meanText, rangeText } from './measure-text.js';

type Row = ReportTransfer['rows'][number];

/** What carries over: rows are trained levels, columns are tested levels. */
export function transferBlocks(
  { tested, rows }: ReportTransfer,
  measure: string,
  nameOf: (id: string) => string,
): Block[] {
  const meanCell = (mean: ReportMean | null | undefined, isOwn: boolean): BlockCell =>
    mean
      ? { text: meanText(measure, mean.mean), interval: rangeText(measure, mean), isOwn, page: { shade: mean.mean } }
      : '–';
  const lossCell = (loss: ReportMean | null): BlockCell =>
    loss === null
      ? '–'
      : { text: signedText(measure, loss.mean), interval: signedRange(measure, loss), page: { shade: 0 } };
  return [
    heading('Rows: trained on. Columns: tested on'),
    tableOf<Row>(
      `${measure}: rows are trained on, columns are tested on`,
      [
        textColumn('trained on', ({ cell }) => nameOf(cell)),
        ...tested.map((column, i) =>
          numberColumn(`on ${nameOf(column)}`, ({ cell, means }: Row) => meanCell(means[i], cell === column)),
        ),
        numberColumn('elsewhere', ({ elsewhere }) => lossCell(elsewhere)),
      ],
      rows,
    ),
    ...explanation(
      'Marked: tested on the level of training.',
      `Elsewhere: mean difference${measure === 'success' ? ' in points' : ''} to the cells trained on the other columns.`,
      '95 % intervals.',
    ),
  ];
}
