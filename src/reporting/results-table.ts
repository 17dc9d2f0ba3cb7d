import type { EvaluationSummary } from '../contracts/evaluation.js';
import { displayWidth, fitText } from './display-text.js';
import { formatShare } from './format-quantity.js';
import { fewestTasks, labelTables, tellingRows, type LabelRow } from './label-tables.js';
import { paint, type TerminalStyle } from './terminal-style.js';

/** A player and its results. */
export interface ResultRow {
  readonly name: string;
  readonly evaluation: EvaluationSummary;
  /** The player that the table is about. */
  readonly emphasis?: boolean;
  /** The player that it is compared with. */
  readonly reference?: boolean;
}

interface Column<Row> {
  readonly title: string;
  cell(row: Row): string;
  /** Says how far the success can be believed, so it is told below the table where there is no room in it. */
  readonly caveat?: boolean;
}

type Success = EvaluationSummary['success'];

/** A narrow terminal drops columns from the right, and caveats last. */
const columns: readonly Column<ResultRow>[] = [
  ...successColumns<ResultRow>(({ evaluation }) => evaluation.success),
  { title: 'turns', cell: ({ evaluation }) => evaluation.turns.mean.toFixed(1) },
  { title: 'return', cell: ({ evaluation }) => evaluation.return.mean.toFixed(2) },
  { title: 'invalid', cell: ({ evaluation }) => formatShare(evaluation.invalid), caveat: true },
  { title: 'cut', cell: ({ evaluation: { cut } }) => (cut === undefined ? '' : formatShare(cut)), caveat: true },
  { title: 'failed', cell: ({ evaluation }) => String(evaluation.failed), caveat: true },
];

const labelColumns: readonly Column<LabelRow<Success>>[] = [
  ...successColumns<LabelRow<Success>>(({ success }) => success),
  { title: 'tasks', cell: ({ tasks }) => String(tasks) },
];

function successColumns<Row>(of: (row: Row) => Success): Column<Row>[] {
  return [
    { title: 'success', cell: (row) => formatShare(of(row).rate) },
    { title: '95 % interval', cell: (row) => `${percent(of(row).low)} to ${percent(of(row).high)}` },
    { title: 'episodes', cell: (row) => String(of(row).episodes) },
  ];
}

/** Players as rows, with intervals. Columns of failed episodes and of answers that were cut are left out if there are none. */
export function resultsTable(rows: readonly ResultRow[], style: TerminalStyle): string[] {
  const hasFailed = rows.some(({ evaluation }) => evaluation.failed > 0);
  const hasCut = rows.some(({ evaluation }) => (evaluation.cut ?? 0) > 0);
  const wanted = columns.filter(({ title }) => (title !== 'failed' || hasFailed) && (title !== 'cut' || hasCut));
  return drawTable('', wanted, rows, style);
}

/**
 * Below the table of players: success for each label of the tasks. If the table is about one player, only this one and
 * its reference are shown, because a terminal has no room for more. For the same reason, values of few tasks are left
 * out, and of many values all but the hardest.
 */
export function labelLines(rows: readonly ResultRow[], style: TerminalStyle): string[] {
  const isAbout = rows.some(({ emphasis }) => emphasis === true);
  const told = isAbout ? rows.filter(({ emphasis, reference }) => emphasis === true || reference === true) : rows;
  return labelTables(told).flatMap((table) => {
    const { axis } = table;
    const { rows: own, areLowest, small, others } = tellingRows(table);
    const left = leftOut(axis, small, others);
    const title = areLowest ? `by ${axis}, lowest` : `by ${axis}`;
    const named = own.map((row) => ({ ...row, name: `${row.value}, ${row.name}` }));
    return [
      '',
      ...(named.length === 0 ? [] : drawTable(title, labelColumns, named, style)),
      ...(left === undefined ? [] : [paint(left, 'dim', style)]),
    ];
  });
}

/** "by width: `--json` also has 9 other values and 2 values of fewer than 10 tasks" */
function leftOut(axis: string, small: number, others: number): string | undefined {
  if (small + others === 0) return undefined;
  const told = [
    ...(others > 0 ? [`${others} other ${others === 1 ? 'value' : 'values'}`] : []),
    ...(small > 0 ? [`${small} ${small === 1 ? 'value' : 'values'} of fewer than ${fewestTasks} tasks`] : []),
  ].join(' and ');
  return `by ${axis}: \`--json\` also has ${told}`;
}

function drawTable<Row extends { readonly name: string; readonly emphasis?: boolean }>(
  head: string,
  wanted: readonly Column<Row>[],
  rows: readonly Row[],
  style: TerminalStyle,
): string[] {
  const nameWidth = Math.max(displayWidth(head), ...rows.map(({ name }) => displayWidth(name)));
  const shown = wanted.map((column) => ({
    column,
    width: Math.max(column.title.length, ...rows.map((row) => column.cell(row).length)),
  }));
  const told: Column<Row>[] = [];
  const used = () => shown.reduce((sum, { width }) => sum + width + 2, nameWidth);
  // The success column is always shown.
  while (used() > style.width && shown.length > 1) {
    const plain = shown.findLastIndex(({ column }, index) => index > 1 && column.caveat !== true);
    const [dropped] = shown.splice(plain < 0 ? -1 : plain, 1);
    if (dropped?.column.caveat === true) told.unshift(dropped.column);
  }
  const below = told.map((column) => {
    const values = rows.flatMap((row) => (column.cell(row) === '' ? [] : [`${row.name} ${column.cell(row)}`]));
    return paint(`${column.title}: ${values.join(', ')}`, 'dim', style);
  });
  const line = (name: string, cell: (column: Column<Row>) => string) =>
    `${fitText(name, nameWidth)}${shown.map(({ column, width }) => `  ${cell(column).padStart(width)}`).join('')}`.trimEnd();
  return [
    paint(
      line(head, ({ title }) => title),
      'dim',
      style,
    ),
    ...rows.map((row) => {
      const text = line(row.name, (column) => column.cell(row));
      return row.emphasis === true ? paint(text, 'bold', style) : text;
    }),
    ...below,
  ];
}

/** The method of the intervals, for the line below a table. */
export function intervalNote(rows: readonly ResultRow[]): string {
  const methods = new Set(rows.map(({ evaluation }) => evaluation.success.method));
  const names = [...methods].map((method) => (method === 'wilson' ? 'Wilson' : 'cluster bootstrap'));
  const splits = [...new Set(rows.map(({ evaluation }) => evaluation.split))].join(', ');
  return `${splits} split; 95 % intervals: ${names.join(', ')}`;
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}
