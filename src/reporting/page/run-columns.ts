import type { ListedRun } from '../live-data.js';
import { shortKey } from '../short-key.js';
import { shownSetting, shownValue } from '../shown-values.js';
import { element } from './element.js';
import { count, formatSeconds, formatShare, percentRange } from '../format-quantity.js';
import type { SortableColumn } from './sort-head.js';
import { statusBadge } from './status-badge.js';

/** The facts about a run that every table of runs shows. */
export type RunFacts = Pick<ListedRun, 'seed' | 'algorithm' | 'settings' | 'finals' | 'steps' | 'seconds' | 'status'>;

/** With more keys than this, one column lists all settings of a run. */
const mostKeys = 4;

export const timeColumn: SortableColumn<RunFacts> = {
  title: 'time',
  cell: ({ seconds }) => formatSeconds(seconds),
  value: ({ seconds }) => seconds,
};

export const statusColumn: SortableColumn<RunFacts> = {
  title: 'status',
  className: 'text',
  cell: ({ status }) => statusBadge(status),
  value: ({ status }) => status,
};

const algorithmColumn: SortableColumn<RunFacts> = {
  title: 'algorithm',
  className: 'text',
  cell: ({ algorithm }) => algorithm || '–',
  value: ({ algorithm }) => algorithm || null,
};

/** Columns for the algorithm and the settings that differ. */
export function settingColumns(rows: readonly RunFacts[]): SortableColumn<RunFacts>[] {
  const keys = [...new Set(rows.flatMap(({ settings }) => Object.keys(settings)))];
  const algorithms = new Set(rows.map(({ algorithm }) => algorithm));
  const own = keys.filter((key) => key !== 'algorithm.name' || algorithms.size < 2);
  const joined = ({ settings }: RunFacts) => {
    const there = own.filter((key) => settings[key] !== undefined && settings[key] !== null);
    return there.map((key) => shownSetting(shortKey(key, own, 2), settingText(settings[key]))).join(', ') || '–';
  };
  if (own.length > mostKeys)
    return [algorithmColumn, { title: 'settings', className: 'text', cell: joined, value: joined }];
  const settingColumn = (key: string): SortableColumn<RunFacts> => ({
    title: shortKey(key, own, 2),
    className: 'text',
    cell: ({ settings }) => settingText(settings[key]),
    value: ({ settings }) => settingValue(settings[key]),
  });
  return [algorithmColumn, ...own.map(settingColumn)];
}

/** What a search of runs looks at: all that a row shows of a run before its results, in small letters. */
export function searchedText(run: ListedRun): string {
  const { name = '', tags, recipe, key, status, seed, algorithm, settings } = run;
  const values = Object.entries(settings).map(([setting, value]) => `${setting} ${settingText(value)}`);
  return [name, ...tags, recipe, key, status, algorithm, `seed ${seed}`, ...values].join(' ').toLowerCase();
}

/** Final success at each temperature, with its interval. */
export function successColumns(rows: readonly RunFacts[]): SortableColumn<RunFacts>[] {
  const temperatures = [...new Set(rows.flatMap(({ finals }) => finals.map(({ temperature }) => temperature)))];
  return temperatures
    .sort((a, b) => a - b)
    .map((temperature) => {
      const finalOf = ({ finals }: RunFacts) => finals.find((one) => one.temperature === temperature);
      return {
        title: `success, temperature ${temperature}`,
        first: 'descending',
        cell: (row) => {
          const final = finalOf(row);
          return final === undefined ? '–' : rateCell(final.rate, percentRange(final.low, final.high));
        },
        value: (row) => finalOf(row)?.rate ?? null,
      };
    });
}

/** A success rate, and what is told below it. */
export function rateCell(rate: number, below: string): HTMLElement {
  return element('span.rate-cell', element('b', formatShare(rate)), element('small', below));
}

function settingText(value: unknown): string {
  if (Number.isInteger(value)) return count(value as number);
  return value === undefined || value === null ? '–' : shownValue(value);
}

function settingValue(value: unknown): number | string | null {
  if (typeof value === 'number' || typeof value === 'string') return value;
  return value === undefined || value === null ? null : shownValue(value);
}
