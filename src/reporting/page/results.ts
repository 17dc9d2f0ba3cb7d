import type { ReportCell, ReportData, ReportRate, ReportRun } from '../report-data.js';
import { shortKey } from '../short-key.js';
import { shownValues } from '../shown-values.js';
import { dataTable, type Column } from './data-table.js';
import { differencesTables, effectsTables, marked } from './differences.js';
import { element } from './element.js';
import { count, number, percentage, percentRange } from './format-number.js';
import { finalOf } from './final-success.js';
import { intervalBar } from './interval-bar.js';
import { intervalMethods } from './interval-methods.js';
import { ends, labelResults, labelSuccessColumns, type LabelledResult } from './label-results.js';
import { transferMatrix } from './transfer-matrix.js';

/**
 * The section of results: players of a run or cells of a comparison, and their differences.
 *
 * @param runAddress address of a run's page by its id; absent: runs have no pages
 */
export function resultsSection(data: ReportData, runAddress?: RunAddress): HTMLElement | undefined {
  const matrix = data.transfer === undefined ? [] : transferMatrix(data.transfer, data.cells);
  const tables =
    data.cells.length > 0 ? [...matrix, ...cellsTable(data, runAddress)] : data.runs.flatMap(playersTables);
  const differences = [...differencesTables(data.comparisons), ...effectsTables(data.effects)];
  if (tables.length === 0 && differences.length === 0) return undefined;
  return element(
    'section',
    { id: 'results', 'aria-labelledby': 'results-title' },
    element('div', { class: 'section-head' }, element('h2', { id: 'results-title' }, 'Results')),
    ...tables,
    ...differences,
  );
}

type RunAddress = (id: string) => string;

/** From players without knowledge to the one that knows everything. */
const players: readonly (readonly [player: string, name: string])[] = [
  ['random', 'random'],
  ['demonstrator', 'demonstrator'],
  ['start', 'before RL'],
  ['policy', 'trained'],
  ['oracle', 'oracle'],
];

/** Tables of players for the recipe's environment, and for each other environment that they played. */
function playersTables({ evaluations }: ReportRun): HTMLElement[] {
  const others = new Set(evaluations.flatMap(({ environment }) => environment ?? []));
  return [
    ...playersTable(evaluations, undefined),
    ...[...others].flatMap((environment) => {
      const table = playersTable(evaluations, environment);
      return table.length === 0 ? [] : [element('h3', {}, `Tested on ${environment}`), ...table];
    }),
  ];
}

function playersTable(evaluations: ReportRun['evaluations'], environment: string | undefined): HTMLElement[] {
  const rows = players.flatMap(([player, name]) =>
    evaluations
      .filter(
        (evaluation) => evaluation.final && evaluation.player === player && evaluation.environment === environment,
      )
      .map((evaluation) => ({
        evaluation,
        name: evaluation.temperature === 0 ? name : `${name}, temperature ${evaluation.temperature}`,
        emphasis: player === 'policy' && evaluation.temperature === 0,
      })),
  );
  const [first] = rows;
  if (first === undefined) return [];
  const columns: Column<(typeof rows)[number]>[] = [
    { title: 'player', className: 'text', cell: ({ name }) => name },
    ...labelSuccessColumns<(typeof rows)[number]>(({ evaluation }) => evaluation.success),
    { title: 'turns', cell: ({ evaluation: { turns } }) => number(turns.mean, 1) },
    { title: 'return', cell: ({ evaluation }) => number(evaluation.return.mean, 2) },
    { title: 'truncated', cell: ({ evaluation: { truncated } }) => percentage(truncated) },
    { title: 'invalid', cell: ({ evaluation: { invalid } }) => percentage(invalid) },
  ];
  if (rows.some(({ evaluation: { failed } }) => failed > 0))
    columns.push({ title: 'failed', cell: ({ evaluation: { failed } }) => count(failed) });
  const attempts = rows.find(({ evaluation }) => evaluation.attempts !== undefined)?.evaluation.attempts;
  if (attempts !== undefined)
    columns.push({
      title: `pass@${attempts.k}`,
      cell: ({ evaluation }) => (evaluation.attempts === undefined ? '–' : percentage(evaluation.attempts.pass)),
    });
  return [
    dataTable(
      `Success of each player on the final tasks${environment === undefined ? '' : ` of ${environment}`}`,
      columns,
      rows,
      ({ emphasis }) => emphasis,
    ),
    element(
      'p',
      { class: 'explain' },
      `${capitalized(first.evaluation.split)} split, the same tasks for all. ${intervalMethods(rows)}`,
    ),
    ...labelResults(rows, 'player', environment === undefined ? '' : ` on ${environment}`),
  ];
}

function cellsTable({ cells, runs, transfer }: ReportData, runAddress?: RunAddress): HTMLElement[] {
  const names = new Map(
    [...new Set(cells.flatMap(({ settings }) => Object.keys(settings)))].map((key) => {
      const shown = shownValues(cells.map(({ settings }) => settings[key]));
      return [key, new Map(cells.map((cell, i) => [cell, shown[i] ?? '']))] as const;
    }),
  );
  const nameIn = (key: string, cell: ReportCell) =>
    cell.settings[key] === undefined ? '–' : (names.get(key)?.get(cell) ?? '');
  // A key that all cells share, or that only repeats the label, is left out.
  const telling = [...names.keys()].filter(
    (key) =>
      new Set(cells.map((cell) => nameIn(key, cell))).size > 1 &&
      cells.some((cell) => nameIn(key, cell) !== cell.label),
  );
  // Larger tables are unreadable; the main values of the label are enough.
  const shownKeys = telling.length <= 4 ? telling : [];
  const seedsOf = (cell: ReportCell) =>
    runs.flatMap((run) => (run.cell === cell.id ? (finalOf(run)?.success.rate ?? []) : []));
  // One seed is the mean itself.
  const ticksOf = (cell: ReportCell) => (seedsOf(cell).length > 1 ? seedsOf(cell) : []);
  const columns: Column<ReportCell>[] = [
    { title: 'setting', className: 'text', cell: ({ label }) => label },
    ...shownKeys.map((key): Column<ReportCell> => ({
      title: shortKey(key, shownKeys, 2),
      className: 'text',
      cell: (cell) => nameIn(key, cell),
    })),
    ...testColumns(cells),
    {
      title: 'success, 0 to 100 %',
      className: 'bar',
      cell: (cell) =>
        cell.success === null
          ? ''
          : intervalBar({ from: 0, to: 1, middle: cell.success.rate, ...ends(cell.success), ticks: ticksOf(cell) }),
    },
    { title: 'success', cell: ({ success }) => element('b', {}, success === null ? '–' : percentage(success.rate)) },
    {
      title: '95 % interval',
      cell: ({ success }) => (success === null ? '–' : marked(percentRange(success.low, success.high), success)),
    },
    {
      title: 'seeds',
      cell: (cell) => {
        const own = runAddress === undefined ? [] : runs.filter((run) => run.cell === cell.id);
        const links = own.map(({ id, label, seed }) =>
          element('a', { href: runAddress?.(id) ?? '', 'aria-label': `The run ${label}` }, String(seed)),
        );
        const complete = `${seedsOf(cell).length} of ${cell.seeds.length}`;
        if (links.length === 0) return complete;
        const named = links.length === 1 ? 'seed ' : 'seeds ';
        return element('span', { class: 'seed-links' }, `${complete}: ${named}`, ...links);
      },
    },
    { title: 'status', className: 'text', cell: statusOf },
  ];
  return [
    ...(transfer === undefined ? [] : [element('h3', {}, 'Each where it was trained')]),
    dataTable('Success of each setting', columns, cells),
    ...(cells.some((cell) => ticksOf(cell).length > 0)
      ? [element('p', { class: 'explain' }, 'The short lines above an interval are the seeds.')]
      : []),
    ...labelResults(
      cells.flatMap((cell) => labelledCell(cell, runs)),
      'setting',
      '',
    ),
  ];
}

/**
 * Results of a cell by labels of tasks: the mean over its seeds, and intervals for a single seed. Empty without labels.
 */
function labelledCell({ id, label }: ReportCell, runs: readonly ReportRun[]): LabelledResult[] {
  const finals = runs.filter((run) => run.cell === id).flatMap((run) => finalOf(run) ?? []);
  const [first, ...others] = finals.flatMap(({ labels }) => (labels === undefined ? [] : [labels]));
  if (first === undefined) return [];
  const axes = Object.entries(first).map(([axis, values]) => {
    const means = values.map((own) => {
      const alike = others.flatMap((one) => one[axis]?.find(({ value }) => value === own.value) ?? []);
      const rates = [own, ...alike].map(({ success }) => success.rate);
      const rate = rates.reduce((sum, one) => sum + one, 0) / rates.length;
      const success = rates.length === 1 ? own.success : { ...own.success, rate, low: null, high: null };
      return { ...own, success: { ...success, episodes: own.success.episodes * rates.length } };
    });
    return [axis, means] as const;
  });
  return [{ name: label, evaluation: { labels: Object.fromEntries(axes) } }];
}

function statusOf({ status, failure, notes = [] }: ReportCell): HTMLElement {
  return element(
    'div',
    {},
    element('span', { class: `status ${status}` }, status),
    ...[...(failure === undefined ? [] : [failure]), ...notes].map((text) => element('p', { class: 'remark' }, text)),
  );
}

/** For cells with different tests: the test of each, and what others reach there. */
function testColumns(cells: readonly ReportCell[]): Column<ReportCell>[] {
  if (cells.every(({ test }) => test === undefined)) return [];
  const rate = (of: ReportRate | null | undefined) => (of ? percentage(of.rate) : '–');
  return [
    { title: 'tested on', className: 'text', cell: ({ test = '–' }) => test },
    { title: 'random', cell: ({ baselines }) => rate(baselines?.random) },
    { title: 'before RL', cell: ({ baselines }) => rate(baselines?.start) },
  ];
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
