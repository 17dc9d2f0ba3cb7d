import type { CellMean } from './compare-cells.js';
import { reservationWord } from '../reporting/reservations.js';
import type { Measure } from './read-outcomes.js';

/** Rates are in percent, other measures unchanged. A missing end of an interval is a dash. */
export function formatMeasure(value: number | null, measure: Measure): string {
  if (value === null || !Number.isFinite(value)) return '-';
  return measure === 'success' ? (value * 100).toFixed(1) : value.toFixed(2);
}

/** "54.2 %", or a dash without a mean. */
export function formatMean(mean: CellMean | null, measure: Measure): string {
  return mean === null ? '-' : `${formatMeasure(mean.mean, measure)}${measure === 'success' ? ' %' : ''}`;
}

/** "48.1 to 60.2", with a word if it has a reservation: "48.1 to 60.2, narrow". Empty if there is no interval. */
export function formatInterval(mean: CellMean | null, measure: Measure): string {
  if (mean === null) return '';
  const mark = mean.reservation === undefined ? '' : `, ${reservationWord(mean.reservation)}`;
  return `${formatMeasure(mean.low, measure)} to ${formatMeasure(mean.high, measure)}${mark}`;
}
