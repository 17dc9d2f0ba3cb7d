import { formatP, missing, differenceText, quantity } from './answer-question.js';
import type { AblationResult, CellSummary } from './ablation-result.js';
import { testedId } from './cell-id.js';
import { isSeparable, type CellComparison } from './compare-cells.js';
import { reservationWord } from '../reporting/reservations.js';
import type { Measure } from './read-outcomes.js';
import type { TransferSummary } from './transfer-summary.js';

type Result = Pick<AblationResult, 'cells' | 'comparisons' | 'measure'>;

/**
 * The result of training on one environment and testing on another, in sentences that a reader can quote: for each
 * column, and over all columns.
 */
export function answerTransfer(result: Result, transfer: TransferSummary): string {
  const { cells, measure } = result;
  if (cells.every((cell) => valueOf(cell, measure) === undefined)) return 'No answer yet: no run is complete.';
  return [
    ...bestRow(transfer, measure),
    ...transfer.tested.flatMap((column) => columnSentence(column, result)),
    "Intervals are of 95 %, p after Holm's correction.",
    ...missing(cells),
  ].join(' ');
}

function valueOf(cell: CellSummary | undefined, measure: Measure): number | undefined {
  return (measure === 'success' ? cell?.success?.rate : cell?.measured?.mean) ?? undefined;
}

/**
 * "On wide: 54.2 % when trained there; narrow -12.3 points (-16.6 to -8.0; p < 0.001), mixed -1.1 points (-3.0 to +0.8;
 * not separable)."
 */
function columnSentence(column: string, { cells, comparisons, measure }: Result): string[] {
  const there = testedId(column, column);
  const own = valueOf(
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
      : `${best.trained} transfers best, but is not separable from ${unclear.join(', ')}`;
  const by = `${signed(mean, measure)}${unitOf(measure)} (${interval}) from the cells trained on them`;
  return [`${lead}. On the other levels its mean difference is ${by}.`];
}
