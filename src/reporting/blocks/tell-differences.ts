import { probability } from '../format-quantity.js';
import type { ReportComparison, ReportEffect, ReportGain } from '../report-data.js';
import { reservationSentences, type Reservable } from '../reservations.js';
import { explanation, heading, tableOf, type Block, type BlockCell, type CellColumn } from './block.js';
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
      [{ title: 'environment', kind: 'text', cell: ({ environment = '' }) => environment }],
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
  const first = { title: 'difference', kind: 'text', cell: ({ a, b }: ReportComparison) => `${b} − ${a}` } as const;
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
    tableOf(
      'Effects of the keys of the grid',
      columnsOf(effects, { title: 'over the grid', kind: 'text', cell }),
      effects,
    ),
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
    { title: 'before RL', kind: 'number', cell: ({ measure, start: { mean } }) => meanText(measure, mean) },
    { title: '95 % interval', kind: 'number', rank: 2, cell: ({ measure, start: own }) => rangeText(measure, own) },
  ];
  return [
    heading('What reinforcement learning adds'),
    tableOf(
      'Gains of reinforcement learning',
      columnsOf(gains, { title: 'setting', kind: 'text', cell: ({ b }) => b }, start),
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
    rows.some((row) => !isRate(row)) && { title: 'measure', kind: 'text', cell: ({ measure }) => measure },
    {
      ...{ title: `points, −${points} to +${points}`, kind: 'bar' },
      cell: (row) => {
        const { mean, low, high } = row.difference;
        return isRate(row) ? { from: -reach, to: reach, middle: mean, low, high, zero: 0 } : '';
      },
    },
    {
      ...{ title: rows.every(isRate) ? 'points' : 'mean', kind: 'number' },
      cell: (row) => ({ text: signedText(row.measure, row.difference.mean), isStrong: true }),
    },
    {
      ...{ title: '95 % interval', kind: 'number' },
      cell: ({ measure, difference }): BlockCell => {
        const { reservation } = difference;
        return { text: signedRange(measure, difference), ...(!isCommon && reservation && { reservation }) };
      },
    },
    {
      ...{ title: rows.every(isPaired) ? 'paired over' : 'over', kind: 'number', rank: 1 },
      cell: ({ pairs }) => pairs,
    },
    rows.some(({ p }) => p !== null) && { title: 'p', kind: 'number', cell: ({ p }) => probability(p) },
    rows.some(({ corrected }) => corrected !== null) && {
      ...{ title: 'p (Holm)', kind: 'number' },
      cell: ({ corrected }) => probability(corrected),
    },
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
