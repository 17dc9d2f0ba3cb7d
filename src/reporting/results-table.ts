import type { EvaluationSummary } from '../contracts/evaluation.js';
import { displayWidth, fitText } from './display-text.js';
import { formatShare } from './format-quantity.js';
import { paint, type TerminalStyle } from './terminal-style.js';

/** A player and how it did. */
export interface ResultRow {
  readonly name: string;
  readonly evaluation: EvaluationSummary;
  /** What the table is about. */
  readonly emphasis?: boolean;
}

interface Column {
  readonly title: string;
  cell(evaluation: EvaluationSummary): string;
}

/** The most important first: a narrow terminal loses them from the right. */
const columns: readonly Column[] = [
  { title: 'success', cell: ({ success }) => formatShare(success.rate) },
  { title: '95 % interval', cell: ({ success }) => `${percent(success.low)} to ${percent(success.high)}` },
  { title: 'episodes', cell: ({ success }) => String(success.episodes) },
  { title: 'turns', cell: ({ turns }) => turns.mean.toFixed(1) },
  { title: 'return', cell: (evaluation) => evaluation.return.mean.toFixed(2) },
  { title: 'invalid', cell: ({ invalid }) => formatShare(invalid) },
  { title: 'failed', cell: ({ failed }) => String(failed) },
];

/** Players under each other, with intervals; what is empty for all (no failed episode) is left out. */
export function resultsTable(rows: readonly ResultRow[], style: TerminalStyle): string[] {
  const nameWidth = Math.max(0, ...rows.map(({ name }) => displayWidth(name)));
  const wanted = columns.filter(
    ({ title }) => title !== 'failed' || rows.some(({ evaluation }) => evaluation.failed > 0),
  );
  const shown: { readonly column: Column; readonly width: number }[] = [];
  let used = nameWidth;
  for (const column of wanted) {
    const width = Math.max(column.title.length, ...rows.map(({ evaluation }) => column.cell(evaluation).length));
    used += width + 2;
    // Success itself is always shown.
    if (used > style.width && shown.length > 0) break;
    shown.push({ column, width });
  }
  const line = (name: string, cell: (column: Column) => string) =>
    `${fitText(name, nameWidth)}${shown.map(({ column, width }) => `  ${cell(column).padStart(width)}`).join('')}`;
  return [
    paint(
      line('', ({ title }) => title),
      'dim',
      style,
    ),
    ...rows.map(({ name, evaluation, emphasis }) => {
      const text = line(name, (column) => column.cell(evaluation));
      return emphasis === true ? paint(text, 'bold', style) : text;
    }),
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
