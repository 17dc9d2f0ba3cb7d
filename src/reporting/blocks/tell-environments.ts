import type { ReportMean } from '../report-data.js';
import { heading, tableOf, textColumn, type Block } from './block.js';
import { meanColumns } from './mean-columns.js';

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
        textColumn('environment', ({ environment }) => environment),
        textColumn(what, ({ label }) => label),
        // The reservations about a setting are told with its whole mean.
        ...meanColumns<EnvironmentRow>(measure, ({ mean: { mean, low, high } }) => ({ mean, low, high })),
      ],
      rows,
    ),
  ];
}
