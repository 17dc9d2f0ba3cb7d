import { formatShare, number, percentRange, signed, signedPoints } from '../format-quantity.js';
import type { ReportInterval } from '../report-data.js';

/** A mean of a measure: success in percent, others with two decimals. */
export function meanText(measure: string, mean: number): string {
  return measure === 'success' ? formatShare(mean) : number(mean, 2);
}

/** The interval of a mean. */
export function rangeText(measure: string, { low, high }: ReportInterval): string {
  if (measure === 'success') return percentRange(low, high);
  return low === null || high === null ? 'no interval' : `${number(low, 2)} to ${number(high, 2)}`;
}

/** A difference of means, or an end of its interval. */
export function signedText(measure: string, value: number | null): string {
  if (value === null) return 'open';
  return measure === 'success' ? signedPoints(value) : signed(value, 2);
}

/** The interval of a difference. */
export function signedRange(measure: string, { low, high }: ReportInterval): string {
  if (low === null && high === null) return 'no interval';
  return `${signedText(measure, low)} to ${signedText(measure, high)}`;
}
