import { formatP, missing, differenceText, quantity, comparedValue } from './answer-question.js';
import type { AblationResult } from './ablation-result.js';
import { saturationOf } from './saturation.js';
import { testedId } from './cell-id.js';
import { isSeparable, type CellComparison } from './compare-cells.js';
import { reservationWord } from '../reporting/reservations.js';
import type { Measure } from './read-outcomes.js';
import type { TransferSummary } from './transfer-summary.js';

/** With more columns, their sentences would be longer than the table that says the same. */
const MOST_COLUMNS = 3;
/** How many differences that are not separable are named. */
const MOST_NAMES = 4;

type Result = Pick<AblationResult, 'cells' | 'comparisons' | 'measure'>;

/**
 * The result of training on one environment and testing on another, in sentences that a reader can quote: over all
 * columns, and for each column if there are few.
 */
export function answerTransfer(result: Result, transfer: TransferSummary): string {
  const { cells, comparisons, measure } = result;
  if (cells.every((cell) => comparedValue(cell, measure) === undefined)) return 'No answer yet: no run is complete.';
  const saturation = comparisons.some(isSeparable) ? undefined : saturationOf(cells, measure);
  if (saturation !== undefined) {
    const all = cells.flatMap(({ success }) => success?.rate ?? []);
    const ends = [Math.min(...all), Math.max(...all)].map((rate) => quantity(rate, measure));
    return [`Success: all cells reach ${[...new Set(ends)].join(' to ')}.`, saturation, ...missing(cells)].join(' ');
  }
  return [
    ...bestRow(transfer, measure),
    ...(transfer.tested.length > MOST_COLUMNS
      ? countSentence(transfer, result)
      : transfer.tested.flatMap((column) => columnSentence(column, result))),
    "Intervals are of 95 %, p after Holm's correction.",
    ...missing(cells),
  ].join(' ');
}

/**
 * "On wide: 54.2 % when trained there; narrow -12.3 points (-16.6 to -8.0; p < 0.001), mixed -1.1 points (-3.0 to +0.8;
 * not separable)."
 */
function columnSentence(column: string, { cells, comparisons, measure }: Result): string[] {
  const there = testedId(column, column);
  const own = comparedValue(
    cells.find(({ id }) => id === there),
    measure,
  );
  if (own === undefined) return [];
  const others = comparisons
    .filter(({ a }) => a === there)
    .map((comparison) => {
      const row = cells.find(({ id }) => id === comparison.b)?.trained ?? comparison.b;
      return `${row} ${differenceOf(comparison, measure)}`;
    });
  const against = others.length === 0 ? '' : `; ${others.join(', ')}`;
  return [`On ${column}: ${quantity(own, measure)} when trained there${against}.`];
}

/**
 * "15 of the 20 differences from training there are separable, and negative (-58.5 to -12.1 points). Not separable: wide
 * on narrow, and 4 more."
 */
function countSentence({ tested }: TransferSummary, { cells, comparisons, measure }: Result): string[] {
  const all = comparisons.filter(({ a }) => tested.some((column) => a === testedId(column, column)));
  if (all.length === 0) return [];
  const means = all.filter(isSeparable).map(({ difference }) => difference.mean);
  const extremes = [Math.min(...means), Math.max(...means)] as const;
  const [least, most] = extremes.map((mean) => signed(mean, measure)) as [string, string];
  const range = least === most ? least : `${least} to ${most}`;
  const sign = extremes[1] < 0 ? ', and negative' : extremes[0] > 0 ? ', and positive' : '';
  const separable = means.length === 0 ? 'separable' : `separable${sign} (${range}${unitOf(measure)})`;
  const names = all
    .filter((comparison) => !isSeparable(comparison))
    .map(({ b }) => cells.find(({ id }) => id === b))
    .map((cell) => `${cell?.trained} on ${cell?.tested}`);
  const more = names.length - MOST_NAMES;
  const listed = `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
  return [
    `${means.length} of the ${all.length} differences from training there are ${separable}.`,
    ...(names.length === 0 ? [] : [`Not separable: ${listed}.`]),
  ];
}

/** "-12.3 points (-16.6 to -8.0; p < 0.001)" */
function differenceOf(comparison: CellComparison, measure: Measure): string {
  const { mean, low, high, reservation } = comparison.difference;
  const why = reservation === undefined ? '' : `, ${reservationWord(reservation)}`;
  const verdict = isSeparable(comparison) ? `p ${formatP(comparison.corrected)}` : `not separable${why}`;
  return `${signed(mean, measure)}${unitOf(measure)} (${signed(low, measure)} to ${signed(high, measure)}; ${verdict})`;
}

function signed(value: number, measure: Measure): string {
  const text = differenceText(value, measure, false);
  return Number(text) > 0 ? `+${text}` : text;
}

function unitOf(measure: Measure): string {
  return measure === 'success' ? ' points' : measure === 'turns' ? ' turns' : '';
}

/** The row that loses least on the other columns, and whether its lead is more than chance. */
function bestRow({ elsewhere, best }: TransferSummary, measure: Measure): string[] {
  const loss = elsewhere.find(({ b }) => b === best?.trained);
  if (best === undefined || loss === undefined) return ['No two cells have a common seed yet.'];
  const unclear = best.against.filter((comparison) => !isSeparable(comparison)).map(({ a }) => a);
  const { mean, low, high } = loss.difference;
  const interval = `${signed(low, measure)} to ${signed(high, measure)}`;
  const lead =
    unclear.length === 0
      ? `${best.trained} transfers best, separably from all others`
      : `${best.trained} has the best mean on the other levels, but is not separable from ${unclear.join(', ')}`;
  const by = `${signed(mean, measure)}${unitOf(measure)} (${interval}) from the cells trained on them`;
  return [`${lead}. On the other levels its mean difference is ${by}.`];
}
