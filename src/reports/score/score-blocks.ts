import { type Block, explanation, numberColumn, tableOf, textColumn } from '../../reporting/blocks/block.js';
import { count, short } from '../../reporting/format-quantity.js';
import type { ScoredRun } from './score-run.js';
import type { ScoredLog } from './sum-up-scores.js';

/** What another reward says of the recorded episodes of a run, a log a row. */
export function scoreBlocks({ logs, terms }: ScoredRun): Block[] {
  const number = (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : short(value);
  const share = ({ played, scored }: ScoredLog) => `${count(scored)} of ${played === null ? 'unknown' : count(played)}`;
  const sum = (of: (log: ScoredLog) => number) => logs.reduce((total, log) => total + of(log), 0);
  const [failed, leftOut, unjudged] = [sum((one) => one.failed), sum((one) => one.leftOut), sum((one) => one.unjudged)];
  return [
    tableOf<ScoredLog>(
      'Returns before and after',
      [
        textColumn('log', ({ log }) => log),
        numberColumn('episodes', share),
        numberColumn('return', ({ before }) => number(before)),
        numberColumn('new return', ({ after }) => number(after)),
        numberColumn('correlation', ({ correlation }) => number(correlation), { rank: 1 }),
        numberColumn('of successes', ({ afterSuccess }) => number(afterSuccess), { rank: 2 }),
        numberColumn('of failures', ({ afterFailure }) => number(afterFailure), { rank: 2 }),
        ...(terms.length > 1
          ? terms.map((term, i) => numberColumn<ScoredLog>(term, (log) => number(log.terms[term]), { rank: 3 + i }))
          : []),
      ],
      logs,
    ),
    ...explanation(
      'Returns are means over the recorded episodes that were scored; the run played as many as stand behind `of`.',
      failed > 0 ? `${count(failed)} recorded episodes had failed in the run.` : '',
      leftOut > 0 ? `${count(leftOut)} are of groups that were recorded in part, which a judge cannot compare.` : '',
      unjudged > 0 ? `A judge failed for ${count(unjudged)}.` : '',
    ),
  ];
}
