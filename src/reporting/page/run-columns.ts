import type { ListedRun } from '../live-data.js';
import type { ReportInterval } from '../report-data.js';
import { shortKey } from '../short-key.js';
import { shownSetting, shownValue } from '../shown-values.js';
import { element } from './element.js';
import { count, formatSeconds, formatShare, percentRange } from '../format-quantity.js';
import type { SortableColumn } from './sort-head.js';

/** The facts about a run that a table of runs shows. */
export interface RunFacts {
  readonly seed: number;
  /** Empty if the run only does supervised fine-tuning. */
  readonly algorithm: string;
  /** Keys of the recipe in which the runs of the table differ. */
  readonly settings: { readonly [key: string]: unknown };
  /** Success of the final evaluation, one entry per temperature. */
  readonly finals: readonly FinalSuccess[];
  /** Over all stages. */
  readonly steps: number;
  /** Working time. */
  readonly seconds: number;
}

interface FinalSuccess extends ReportInterval {
  readonly temperature: number;
  readonly rate: number;
}

/** With more keys than this, one column lists all settings of a run. */
const mostKeys = 4;

export function seedColumn<Row>(of: (row: Row) => Pick<RunFacts, 'seed'>): SortableColumn<Row> {
  return { title: 'seed', cell: (row) => String(of(row).seed), value: (row) => of(row).seed };
}

/** Columns for the algorithm and the settings that differ. */
export function settingColumns<Row>(rows: readonly Row[], of: (row: Row) => RunFacts): SortableColumn<Row>[] {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(of(row).settings)))];
  const algorithms = new Set(rows.map((row) => of(row).algorithm));
  const own = keys.filter((key) => key !== 'algorithm.name' || algorithms.size < 2);
  const settings: SortableColumn<Row>[] =
    own.length <= mostKeys
      ? own.map((key) => ({
          title: shortKey(key, own, 2),
          className: 'text',
          cell: (row) => settingText(of(row).settings[key]),
          value: (row) => settingValue(of(row).settings[key]),
        }))
      : [{ title: 'settings', className: 'text', cell: joined, value: joined }];
  function joined(row: Row): string {
    const { settings: all } = of(row);
    const there = own.filter((key) => all[key] !== undefined && all[key] !== null);
    return there.map((key) => shownSetting(shortKey(key, own, 2), settingText(all[key]))).join(', ') || '–';
  }
  return [
    {
      title: 'algorithm',
      className: 'text',
      cell: (row) => of(row).algorithm || '–',
      value: (row) => of(row).algorithm || null,
    },
    ...settings,
  ];
}

/** What a search of runs looks at: all that a row shows of a run before its results, in small letters. */
export function searchedText(run: ListedRun): string {
  const { name = '', tags, recipe, key, status, seed, algorithm, settings } = run;
  const values = Object.entries(settings).map(([setting, value]) => `${setting} ${settingText(value)}`);
  return [name, ...tags, recipe, key, status, algorithm, `seed ${seed}`, ...values].join(' ').toLowerCase();
}

/** Final success at each temperature, with its interval. */
export function successColumns<Row>(rows: readonly Row[], of: (row: Row) => RunFacts): SortableColumn<Row>[] {
  const temperatures = [...new Set(rows.flatMap((row) => of(row).finals.map(({ temperature }) => temperature)))];
  return temperatures
    .sort((a, b) => a - b)
    .map((temperature) => {
      const final = (row: Row) => of(row).finals.find((one) => one.temperature === temperature);
      return {
        title: `success, temperature ${temperature}`,
        first: 'descending',
        cell: (row) => rateCell(final(row)),
        value: (row) => final(row)?.rate ?? null,
      };
    });
}

/** Columns for steps and time. */
export function costColumns<Row>(of: (row: Row) => RunFacts): SortableColumn<Row>[] {
  return [
    { title: 'steps', cell: (row) => count(of(row).steps), value: (row) => of(row).steps },
    { title: 'time', cell: (row) => formatSeconds(of(row).seconds), value: (row) => of(row).seconds },
  ];
}

function rateCell(final: FinalSuccess | undefined): HTMLElement | string {
  if (final === undefined) return '–';
  const { rate, low, high } = final;
  return element('span.rate-cell', element('b', formatShare(rate)), element('small', percentRange(low, high)));
}

function settingText(value: unknown): string {
  if (Number.isInteger(value)) return count(value as number);
  return value === undefined || value === null ? '–' : shownValue(value);
}

function settingValue(value: unknown): number | string | null {
  if (typeof value === 'number' || typeof value === 'string') return value;
  return value === undefined || value === null ? null : shownValue(value);
}
