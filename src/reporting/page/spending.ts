import type { ReportData } from '../report-data.js';
import { dataTable, type Column } from './data-table.js';
import { element } from './element.js';
import { count, duration, large, short } from './format-number.js';

interface Row {
  readonly name: string;
  readonly spent: { readonly [currency: string]: number };
}

const order = ['units', 'demonstrations', 'episodes', 'turns', 'tokens', 'trainedTokens', 'seconds'];

/** The section of costs: by stage of a run, or by cell of a comparison. */
export function spendingSection(data: ReportData): HTMLElement | undefined {
  const rows = rowsOf(data);
  const found = new Set(rows.flatMap(({ spent }) => Object.keys(spent)));
  const currencies = [
    ...order.filter((name) => found.has(name)),
    ...[...found].filter((name) => !order.includes(name)).sort(),
  ];
  if (currencies.length === 0) return undefined;
  const largestOf = (currency: string) => Math.max(...rows.map(({ spent }) => spent[currency] ?? 0));
  const columns: Column<Row>[] = [
    { title: data.cells.length > 0 ? 'setting' : 'stage', className: 'text', cell: ({ name }) => name },
    ...currencies.map((currency): Column<Row> => ({
      title: currency === 'seconds' ? 'time' : inWords(currency),
      cell: ({ spent }) => amount(currency, spent[currency], largestOf(currency)),
    })),
  ];
  const about = data.cells.length > 0 ? 'Mean per run, by setting.' : 'By stage.';
  const time =
    data.cells.length > 0
      ? 'Time includes all evaluations.'
      : 'The time of a stage includes the evaluations during it; the time of all stages together also includes those before and after.';
  return element(
    'section',
    { id: 'spent', 'aria-labelledby': 'spent-title' },
    element('div', { class: 'section-head' }, element('h2', { id: 'spent-title' }, 'Costs')),
    dataTable('Costs', columns, rows, ({ name }) => name === 'all'),
    element(
      'p',
      { class: 'explain' },
      `${about} Episodes, turns and tokens count training only, and so do distinct tasks. ${time}`,
    ),
  );
}

function rowsOf({ cells, runs }: ReportData): Row[] {
  if (cells.length > 0) return cells.map(({ label, spent }) => ({ name: label, spent }));
  return runs.flatMap(({ stages, spent }) => [
    ...stages.map((stage) => ({ name: stage.name, spent: stage.spent })),
    ...(stages.length > 1 ? [{ name: 'all', spent }] : []),
  ]);
}

/** `trainedTokens` as "trained tokens". */
function inWords(currency: string): string {
  // Files of runs keep the old name; readers know it as FLOPs.
  if (currency === 'operations') return 'FLOPs';
  if (currency === 'tasks') return 'distinct tasks';
  return currency.replaceAll('_', ' ').replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** All amounts of a column have the unit of its largest one. */
function amount(currency: string, value: number | undefined, largest: number): string {
  if (value === undefined) return '–';
  if (currency === 'seconds') return duration(value);
  if (largest >= 1e8) return large(value, largest);
  return Number.isInteger(value) || value >= 1000 ? count(value) : short(value);
}
