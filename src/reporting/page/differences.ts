import type { ReportComparison, ReportEffect, ReportInterval } from '../report-data.js';
import { reservationSentence, reservationSentences, reservationWord } from '../reservations.js';
import { dataTable, type Column } from './data-table.js';
import { element } from './element.js';
import { short, signedPoints } from './format-number.js';
import { intervalBar } from './interval-bar.js';
import { ends } from './label-results.js';

/** Differences between cells or players. Empty without differences. */
export function differencesTables(comparisons: readonly ReportComparison[]): readonly HTMLElement[] {
  if (comparisons.length === 0) return [];
  const columns = columnsOf(comparisons, {
    title: 'difference',
    className: 'text',
    cell: ({ a, b }) => `${b} − ${a}`,
  });
  return [
    element(
      'div',
      { class: 'differences' },
      element('h3', {}, comparisons.every(isPaired) ? 'Paired differences' : 'Differences'),
      dataTable('Differences of success', columns, comparisons),
      element('p', { class: 'explain' }, explanationOf(comparisons)),
    ),
  ];
}

/**
 * The effect of each grid key over all values of the other keys, and the interactions of two keys. Empty without
 * effects.
 */
export function effectsTables(effects: readonly ReportEffect[] = []): readonly HTMLElement[] {
  if (effects.length === 0) return [];
  const columns = columnsOf(effects, {
    title: 'over the grid',
    className: 'text',
    cell: ({ kind, a, b }) => (kind === 'main' ? `${b} − ${a}` : `${a} × ${b}`),
  });
  const isTogether = effects.some(({ kind }) => kind === 'interaction');
  return [
    element(
      'div',
      { class: 'differences' },
      element('h3', {}, isTogether ? 'Main effects and interactions' : 'Main effects'),
      dataTable('Effects of the keys of the grid on success', columns, effects),
      element(
        'p',
        { class: 'explain' },
        'b − a: the mean difference over all values of the other keys.',
        isTogether ? ' a × b: the effect of b with a, minus its effect with the first value of the key of a.' : '',
        ' p values are corrected over this table (Holm).',
        effects.every(({ seeds }) => seeds === 1) ? ` Each setting has one seed: ${oneSeed}` : '',
      ),
    ),
  ];
}

const oneSeed = 'an interval without zero covers other tasks, but another seed may give another result.';

/** Differences or effects with their intervals and tests. */
function columnsOf<Row extends ReportComparison>(
  comparisons: readonly Row[],
  first: Column<Row>,
): readonly Column<Row>[] {
  const isRate = ({ measure }: ReportComparison) => measure === 'success';
  const isOneSeed = comparisons.every(({ seeds }) => seeds === 1);
  const reached = comparisons
    .filter(isRate)
    .flatMap(({ difference: { mean, low, high } }) => [mean, low ?? 0, high ?? 0].map(Math.abs));
  // The next 5 points beyond the longest interval.
  const reach = Math.max(0.1, (Math.floor(Math.max(0, ...reached) * 20) + 1) / 20);
  const show = (comparison: Row, value: number | null) =>
    value === null ? 'open' : isRate(comparison) ? signedPoints(value) : short(value);
  const columns: Column<Row>[] = [
    first,
    {
      title: `points, −${(reach * 100).toFixed(0)} to +${(reach * 100).toFixed(0)}`,
      className: 'bar',
      cell: (comparison) =>
        isRate(comparison)
          ? intervalBar({
              from: -reach,
              to: reach,
              middle: comparison.difference.mean,
              ...ends(comparison.difference),
              zero: 0,
            })
          : '',
    },
    {
      title: comparisons.every(isRate) ? 'points' : 'mean',
      cell: (comparison) => element('b', {}, show(comparison, comparison.difference.mean)),
    },
    {
      title: '95 % interval',
      cell: (comparison) => {
        const { low, high } = comparison.difference;
        if (low === null && high === null) return 'no interval';
        const text = `${show(comparison, low)} to ${show(comparison, high)}`;
        // A reservation about all rows is in the text below.
        return isOneSeed ? text : marked(text, comparison.difference);
      },
    },
    { title: comparisons.every(isPaired) ? 'paired over' : 'over', cell: ({ pairs }) => pairs },
  ];
  if (comparisons.some(({ measure }) => measure !== 'success'))
    columns.splice(1, 0, { title: 'measure', className: 'text', cell: ({ measure }) => measure });
  if (comparisons.some(({ p }) => p !== null)) columns.push({ title: 'p', cell: ({ p }) => probability(p) });
  if (comparisons.some(({ corrected }) => corrected !== null))
    columns.push({ title: 'p (Holm)', cell: ({ corrected }) => probability(corrected) });
  return columns;
}

/** The text of an interval, with the reason why it is unreliable, if any. */
export function marked(text: string, { reservation }: ReportInterval): HTMLElement | string {
  if (reservation === undefined) return text;
  const mark = { class: 'mark', title: reservationSentence(reservation) };
  return element('span', {}, text, element('small', mark, reservationWord(reservation)));
}

/** What the intervals cover: only the sampled units, and one seed is not a sample of seeds. */
function explanationOf(comparisons: readonly ReportComparison[]): string {
  const paired = pairing(comparisons);
  if (comparisons.every(({ seeds }) => seeds === 1)) return `${paired} Each side has one seed: ${oneSeed}`;
  const some = comparisons.some(({ seeds }) => seeds === 1)
    ? ' Rows with one seed generalise only to other tasks.'
    : '';
  const few = reservationSentences(
    comparisons.map(({ difference }) => difference).filter(({ reservation }) => reservation !== 'one-seed'),
  );
  return [`${paired} If an interval does not contain zero, chance is an unlikely explanation.${some}`, ...few].join(
    ' ',
  );
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

function probability(p: number | null): string {
  if (p === null) return '–';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}
