import { formatShare } from '../format-quantity.js';
import { finalOf } from '../final-success.js';
import type { ReportCell, ReportRate, ReportRun } from '../report-data.js';
import { shortKey } from '../short-key.js';
import { shownValues } from '../shown-values.js';
import {
  explanation,
  numberColumn,
  tableOf,
  textColumn,
  type Block,
  type BlockCell,
  type CellColumn,
} from './block.js';
import { meanColumns } from './mean-columns.js';
import { environmentBlocks } from './tell-environments.js';
import { labelBlocks, type LabelledRow } from './tell-labels.js';

/** What a page shows of cells besides. */
export interface PageOfCells {
  readonly runs: readonly ReportRun[];
  /** Address of a run's page by its id; absent: runs have no pages. */
  readonly runAddress?: ((id: string) => string) | undefined;
}

/** Settings with their success. `measure`: the compared measure; `about`: what the results hold for. */
export function cellBlocks(
  cells: readonly ReportCell[],
  { measure, about = '', page }: { readonly measure: string; readonly about?: string; readonly page?: PageOfCells },
): Block[] {
  const ticksOf = (cell: ReportCell) => {
    const rates = (page?.runs ?? []).flatMap((run) => (run.cell === cell.id ? (finalOf(run)?.success.rate ?? []) : []));
    // One seed is the mean itself.
    return rates.length > 1 ? rates : [];
  };
  return [
    tableOf<ReportCell>(
      'Success of each setting',
      [
        textColumn('setting', ({ label }) => label),
        ...(page === undefined ? [] : settingColumns(cells)),
        ...testColumns(cells),
        ...meanColumns<ReportCell>('success', ({ success }) => success && { ...success, mean: success.rate }, ticksOf),
        ...(measure === 'success' ? [] : meanColumns<ReportCell>(measure, ({ measured = null }) => measured)),
        numberColumn('seeds', (cell) => seedsCell(cell, page), { rank: 2 }),
        page !== undefined && textColumn('status', statusCell),
      ],
      cells,
    ),
    ...explanation(
      about,
      cells.some((cell) => ticksOf(cell).length > 0) ? 'The short lines above an interval are the seeds.' : '',
    ),
    ...environmentBlocks(
      'setting',
      measure,
      cells.flatMap(({ environments = {}, label }) =>
        Object.entries(environments).map(([environment, { rate, ...ends }]) => ({
          environment,
          label,
          mean: { mean: rate, ...ends },
        })),
      ),
    ),
    ...labelBlocks(
      cells.flatMap((cell) => labelled(cell, page?.runs ?? [])),
      'all',
      'setting',
    ),
  ];
}

/** The keys in which the settings differ. Larger tables are unreadable; the main values of the label are enough. */
function settingColumns(cells: readonly ReportCell[]): CellColumn<ReportCell>[] {
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
  const keys = telling.length <= 4 ? telling : [];
  return keys.map((key) => textColumn(shortKey(key, keys, 2), (cell) => nameIn(key, cell)));
}

/** For cells with different tests: the test of each, and what others reach there. */
function testColumns(cells: readonly ReportCell[]): CellColumn<ReportCell>[] {
  if (cells.every(({ test }) => test === undefined)) return [];
  const rate = (of: ReportRate | null | undefined) => (of ? formatShare(of.rate) : '–');
  return [
    textColumn('tested on', ({ test = '–' }) => test),
    numberColumn('random', ({ baselines }) => rate(baselines?.random), { rank: 5 }),
    numberColumn('before RL', ({ baselines }) => rate(baselines?.start), { rank: 4 }),
  ];
}

/** How many of the requested seeds are complete. */
function seedsCell({ id, seeds, tested = seeds.length }: ReportCell, page: PageOfCells | undefined): BlockCell {
  const text = tested === seeds.length ? String(tested) : `${tested} of ${seeds.length}`;
  const { runAddress } = page ?? {};
  if (page === undefined || runAddress === undefined) return text;
  const own = page.runs.filter(({ cell }) => cell === id);
  const links = own.map((run) => ({
    text: String(run.seed),
    address: runAddress(run.id),
    label: `The run ${run.label}`,
  }));
  return links.length === 0 ? text : { text: `${text}: ${links.length === 1 ? 'seed' : 'seeds'}`, page: { links } };
}

function statusCell({ status, failure, notes = [] }: ReportCell): BlockCell {
  return { text: status, page: { status, remarks: [...(failure === undefined ? [] : [failure]), ...notes] } };
}

/**
 * Results of a cell by labels of tasks: the mean over its seeds, and intervals for a single seed. Empty without labels.
 */
function labelled({ id, label }: ReportCell, runs: readonly ReportRun[]): LabelledRow[] {
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
