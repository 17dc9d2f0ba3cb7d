import type { ReportData, ReportRate, ReportTransfer } from '../report-data.js';
import { dataTable, type Column } from './data-table.js';
import { element } from './element.js';
import { percentage, percentRange, signedPoints } from './format-number.js';

type Row = ReportTransfer['rows'][number];

/**
 * Rows are trained levels, columns are tested levels, and the shade is the success. On narrow screens each row is a
 * card with one field per column.
 */
export function transferMatrix({ tested, rows }: ReportTransfer, cells: ReportData['cells']): HTMLElement[] {
  const labelOf = (id: string) => cells.find((cell) => cell.id === id)?.label ?? id;
  const columns: Column<Row>[] = [
    { title: 'trained on', className: 'text', cell: ({ cell }) => labelOf(cell) },
    ...tested.map((column, i): Column<Row> => ({
      title: `on ${labelOf(column)}`,
      cell: ({ cell, success }) => shaded(success[i] ?? null, cell === column),
    })),
    {
      title: 'elsewhere',
      cell: ({ elsewhere }) => {
        if (elsewhere === null) return '–';
        const { mean, low, high } = elsewhere;
        const interval =
          low === null || high === null ? 'no interval' : `${signedPoints(low)} to ${signedPoints(high)}`;
        return element(
          'span',
          { class: 'shaded' },
          element('b', {}, signedPoints(mean)),
          element('small', {}, interval),
        );
      },
    },
  ];
  return [
    element('h3', {}, 'Rows: trained on. Columns: tested on'),
    dataTable('Success: rows are trained on, columns are tested on', columns, rows),
    element(
      'p',
      { class: 'explain' },
      'Framed: tested on the level of training. Other cells: mean difference in points to the cells trained on the other columns. 95 % intervals.',
    ),
  ];
}

function shaded(success: ReportRate | null, isOwn: boolean): HTMLElement | string {
  if (success === null) return '–';
  const made = element(
    'span',
    { class: isOwn ? 'shaded own' : 'shaded' },
    element('b', {}, percentage(success.rate)),
    element('small', {}, percentRange(success.low, success.high)),
  );
  made.style.setProperty('--share', String(success.rate));
  return made;
}
