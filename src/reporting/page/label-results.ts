import { labelTables, tellingRows, type LabelRow } from '../label-tables.js';
import type { ReportEvaluation, ReportInterval } from '../report-data.js';
import { dataTable, type Column } from './data-table.js';
import { element } from './element.js';
import { count, percentage, percentRange } from './format-number.js';
import { intervalBar } from './interval-bar.js';

/** A player and its results by task label. */
export interface LabelledResult {
  readonly name: string;
  readonly evaluation: Pick<ReportEvaluation, 'labels'>;
  readonly emphasis?: boolean;
}

/** A longer table is folded, because readers need the content below it more often. */
const mostOpenRows = 12;

/** A table for each label. `who`: the title of the column of names; `where`: the end of the caption. */
export function labelResults(results: readonly LabelledResult[], who: string, where: string): HTMLElement[] {
  return labelTables<ReportEvaluation['success']>(results).flatMap((labels) => {
    const { axis, rows, isAlwaysShown } = labels;
    const table = labelTable(`Success by ${axis}${where}`, axis, who, rows);
    const values = new Set(rows.map(({ value }) => value)).size;
    const title = `Tasks by ${axis} (${values} ${values === 1 ? 'value' : 'values'})`;
    // Values of few tasks say little: the reader opens them on purpose.
    const isFolded = !isAlwaysShown && (rows.length > mostOpenRows || tellingRows(labels).rows.length === 0);
    if (isFolded) return [element('details', {}, element('summary', {}, title), table)];
    return [element('h3', {}, title), table];
  });
}

/** A table of players on the tasks of each value of a label. */
function labelTable(
  caption: string,
  axis: string,
  who: string,
  rows: readonly LabelRow<ReportEvaluation['success']>[],
): HTMLElement {
  return dataTable(
    caption,
    [
      // A number says nothing as the title of a card.
      {
        title: axis,
        className: 'text',
        cell: ({ value }) => (Number.isNaN(Number(value)) ? value : `${axis} ${value}`),
      },
      { title: who, className: 'text', cell: ({ name }) => name },
      ...labelSuccessColumns<(typeof rows)[number]>(({ success }) => success),
      { title: 'tasks', cell: ({ tasks }) => count(tasks) },
    ],
    rows,
    ({ emphasis }) => emphasis,
  );
}

/** Success with its interval, as a bar and in numbers. */
export function labelSuccessColumns<Row>(of: (row: Row) => ReportEvaluation['success']): Column<Row>[] {
  return [
    {
      title: 'success, 0 to 100 %',
      className: 'bar',
      cell: (row) => intervalBar({ from: 0, to: 1, middle: of(row).rate, ...ends(of(row)) }),
    },
    { title: 'success', cell: (row) => element('b', {}, percentage(of(row).rate)) },
    { title: '95 % interval', cell: (row) => percentRange(of(row).low, of(row).high) },
    { title: 'episodes', cell: (row) => count(of(row).episodes) },
  ];
}

/** Returns only the interval of an object. */
export function ends({ low, high }: ReportInterval): ReportInterval {
  return { low, high };
}
