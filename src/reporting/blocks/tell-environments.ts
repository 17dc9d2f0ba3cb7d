import type { ReportMean } from '../report-data.js';
import { heading, tableOf, type Block } from './block.js';
import { meanText, rangeText } from './measure-text.js';

/** The mean of a setting or a run in one environment. */
export interface EnvironmentRow {
  readonly environment: string;
  readonly label: string;
  readonly mean: ReportMean;
}

/**
 * Means of settings or runs in each environment, of which one trains in several. Empty without rows.
 *
 * @param what a row is about: `setting` or `run`
 */
export function environmentBlocks(what: string, measure: string, given: readonly EnvironmentRow[]): Block[] {
  if (given.length === 0) return [];
  const order = [...new Set(given.map(({ environment }) => environment))];
  const rows = [...given].sort((one, other) => order.indexOf(one.environment) - order.indexOf(other.environment));
  const title = `${measure.charAt(0).toUpperCase()}${measure.slice(1)} in each environment`;
  return [
    heading(title),
    tableOf<EnvironmentRow>(
      title,
      [
        { title: 'environment', kind: 'text', cell: ({ environment }) => environment },
        { title: what, kind: 'text', cell: ({ label }) => label },
        measure === 'success' && {
          ...{ title: 'success, 0 to 100 %', kind: 'bar' },
          cell: ({ mean: { mean, low, high } }) => ({ from: 0, to: 1, middle: mean, low, high, ticks: [] }),
        },
        {
          ...{ title: measure, kind: 'number' },
          cell: ({ mean: { mean } }) => ({ text: meanText(measure, mean), isStrong: true }),
        },
        { title: '95 % interval', kind: 'number', rank: 1, cell: ({ mean }) => rangeText(measure, mean) },
      ],
      rows,
    ),
  ];
}
