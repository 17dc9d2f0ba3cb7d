import { probability } from '../format-quantity.js';
import type { ReportComparison, ReportEffect, ReportGain } from '../report-data.js';
import { reservationSentences, type Reservable } from '../reservations.js';
import { explanation, heading, numberColumn, tableOf, textColumn, type Block, type CellColumn } from './block.js';
import { signedRange, signedText, meanText, rangeText } from './measure-text.js';

/**
 * Differences between cells, runs or players. Empty without differences.
 *
 * @param reserved the intervals whose reservations are explained below
 */
export function differenceBlocks(
  comparisons: readonly ReportComparison[],
  reserved: readonly Reservable[] = comparisons.map(({ difference }) => difference),
): Block[] {
  const whole = comparisons.filter(({ environment }) => environment === undefined);
  const parts = comparisons.filter(({ environment }) => environment !== undefined);
  return [
    ...tableBlocks(
      whole,
      whole.every(isPaired) ? 'Paired differences' : 'Differences',
      [],
      parts.length > 0 ? [] : reserved,
    ),
    ...tableBlocks(
      parts,
      'Differences in each environment',
      [textColumn('environment', ({ environment = '' }) => environment)],
      reserved,
    ),
  ];
}

function tableBlocks(
  comparisons: readonly ReportComparison[],
  title: string,
  more: readonly CellColumn<ReportComparison>[],
  reserved: readonly Reservable[],
): Block[] {
  if (comparisons.length === 0) return [];
  const first = textColumn('difference', ({ a, b }: ReportComparison) => `${b} − ${a}`);
  const isCorrected = comparisons.some(({ corrected }) => corrected !== null);
  const pairs = `${comparisons.length} ${comparisons.length === 1 ? 'difference' : 'differences'}`;
  return [
    heading(title),
    tableOf('Differences', columnsOf(comparisons, first, more), comparisons),
    ...explanation(
      pairing(comparisons),
      'If an interval does not contain zero, chance is an unlikely explanation.',
      isCorrected ? `p is two-sided, p (Holm) corrected over ${pairs}.` : '',
      ...reservationSentences(reserved),
    ),
  ];
}

/**
 * The effect of each grid key over all values of the other keys, and the interactions of two keys. Empty without
 * effects.
 */
export function effectBlocks(effects: readonly ReportEffect[] = []): Block[] {
  if (effects.length === 0) return [];
  const cell = ({ kind, a, b }: ReportEffect) => (kind === 'main' ? `${b} − ${a}` : `${a} × ${b}`);
  const isTogether = effects.some(({ kind }) => kind === 'interaction');
  return [
    heading(isTogether ? 'Main effects and interactions' : 'Main effects'),
    tableOf('Effects of the keys of the grid', columnsOf(effects, textColumn('over the grid', cell)), effects),
    ...explanation(
      'b − a: the mean difference over all values of the other keys.',
      isTogether ? 'a × b: the effect of b with a, minus its effect with the first value of the key of a.' : '',
      'p values are corrected over this table (Holm).',
    ),
  ];
}

/** What reinforcement learning adds to the start of each setting. Empty without starts. */
export function gainBlocks(gains: readonly ReportGain[] = []): Block[] {
  if (gains.length === 0) return [];
  const start: readonly CellColumn<ReportGain>[] = [
    numberColumn('before RL', ({ measure, start: { mean } }) => meanText(measure, mean)),
    numberColumn('95 % interval', ({ measure, start: own }) => rangeText(measure, own), { rank: 2 }),
  ];
  return [
    heading('What reinforcement learning adds'),
    tableOf(
      'Gains of reinforcement learning',
      columnsOf(
        gains,
        textColumn('setting', ({ b }) => b),
        start,
      ),
      gains,
    ),
    ...explanation('On the same tasks. p values are corrected over this table (Holm).'),
  ];
}

/** Differences with their intervals and tests. `more`: columns after the first one. */
function columnsOf<Row extends ReportComparison>(
  rows: readonly Row[],
  first: CellColumn<Row>,
  more: readonly CellColumn<Row>[] = [],
): readonly (false | CellColumn<Row>)[] {
  const ends = rows
    .filter(isRate)
    .flatMap(({ difference: { mean, low, high } }) => [mean, low ?? 0, high ?? 0].map(Math.abs));
  // The next 5 points beyond the longest interval.
  const reach = Math.max(0.1, (Math.floor(Math.max(0, ...ends) * 20) + 1) / 20);
  // A reservation about all rows is in the text below.
  const isCommon = new Set(rows.map(({ difference }) => difference.reservation)).size === 1;
  const points = (reach * 100).toFixed(0);
  return [
    first,
    ...more,
    rows.some((row) => !isRate(row)) && textColumn('measure', ({ measure }) => measure),
    {
      ...{ title: `points, −${points} to +${points}`, kind: 'bar' },
      cell: (row) => {
        const { mean, low, high } = row.difference;
        return isRate(row) ? { from: -reach, to: reach, middle: mean, low, high, zero: 0 } : '';
      },
    },
    numberColumn(rows.every(isRate) ? 'points' : 'mean', ({ measure, difference: { mean } }) => ({
      text: signedText(measure, mean),
      isStrong: true,
    })),
    numberColumn('95 % interval', ({ measure, difference }) => ({
      text: signedRange(measure, difference),
      reservation: isCommon ? undefined : difference.reservation,
    })),
    numberColumn(rows.every(isPaired) ? 'paired over' : 'over', ({ pairs }) => pairs, { rank: 1 }),
    rows.some(({ p }) => p !== null) && numberColumn('p', ({ p }) => probability(p)),
    rows.some(({ corrected }) => corrected !== null) &&
      numberColumn('p (Holm)', ({ corrected }) => probability(corrected)),
  ];
}

function isRate({ measure }: ReportComparison): boolean {
  return measure === 'success';
}

function isPaired({ design }: ReportComparison): boolean {
  return design === 'paired';
}

function pairing(comparisons: readonly ReportComparison[]): string {
  if (comparisons.every(isPaired)) return 'Tasks are paired by their ids.';
  return comparisons.some(isPaired)
    ? 'Tasks are paired by their ids, except in the rows marked “not paired”: their two sides played different tasks.'
    : 'No row is paired, because its two sides played different tasks.';
}
