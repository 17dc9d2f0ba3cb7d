import { formatP, level, measureName, missing, points, quantity } from './answer-question.js';
import type { AblationResult, CellSummary } from './ablation-result.js';
import { testedId } from './cell-id.js';
import type { CellComparison } from './compare-cells.js';
import type { Measure } from './read-outcomes.js';
import type { TransferSummary } from './transfer-summary.js';

type Result = Pick<AblationResult, 'cells' | 'comparisons' | 'measure'>;

/** What training on one thing and being tested on another came to, in words that a reader may quote: on each column, and over all of them. */
export function answerTransfer(result: Result, transfer: TransferSummary): string {
  const { cells, measure } = result;
  if (cells.every((cell) => valueOf(cell, measure) === undefined))
    return 'Nothing can be said yet: no run is complete.';
  return [
    ...bestRow(transfer, measure),
    ...transfer.tested.flatMap((column) => columnSentence(column, result)),
    ...missing(cells),
  ].join(' ');
}

function valueOf(cell: CellSummary | undefined, measure: Measure): number | undefined {
  return (measure === 'success' ? cell?.success?.rate : cell?.measured?.mean) ?? undefined;
}

/** "On wide: 54.2 % by training there; narrow loses 12.3 points (...)." */
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
      return `${row} ${lossOf(comparison, measure)}`;
    });
  const by = `${measureName(measure)} on ${column}: ${quantity(own, measure)} by training there`;
  return [`${[by, ...others].join('; ')}.`];
}

/** "loses 12.3 points (95 % interval 8.0 to 16.6; p < 0.001 after Holm's correction)", or that nothing can be told. */
function lossOf({ difference: { mean, low, high }, corrected }: CellComparison, measure: Measure): string {
  if (corrected >= level) {
    const interval = `${points(low, measure, false)} to ${points(high, measure, false)}`;
    return `is not separable from that (${points(mean, measure)}, 95 % interval ${interval})`;
  }
  const [from, to] = mean < 0 ? [-high, -low] : [low, high];
  const interval = `${points(from, measure, false)} to ${points(to, measure, false)}`;
  const verb = measure === 'turns' ? (mean < 0 ? 'saves' : 'takes') : mean < 0 ? 'loses' : 'gains';
  const unit = measure === 'turns' ? ` ${mean < 0 ? 'turns' : 'more turns'}` : '';
  const by = points(Math.abs(mean), measure);
  return `${verb} ${by}${unit} (95 % interval ${interval}; p ${formatP(corrected)} after Holm's correction)`;
}

/** The row that loses least elsewhere, and whether that is more than chance. */
function bestRow({ elsewhere, best }: TransferSummary, measure: Measure): string[] {
  const loss = elsewhere.find(({ b }) => b === best?.trained);
  if (best === undefined || loss === undefined) return ['No two cells share a seed yet.'];
  const unclear = best.against.filter(({ corrected }) => corrected >= level).map(({ a }) => a);
  const { mean, low, high } = loss.difference;
  const interval = `95 % interval ${points(low, measure, false)} to ${points(high, measure, false)}`;
  const lead =
    unclear.length === 0
      ? `${best.trained} carries over best, separably from every other`
      : `${best.trained} is ahead in what carries over, but not separable from ${unclear.join(', ')}`;
  return [
    `${lead}: where it did not train it is ${points(mean, measure)} from those that did, in the mean (${interval}).`,
  ];
}
