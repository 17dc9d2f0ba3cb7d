import { basename } from 'node:path';

import { formatCount, formatSeconds } from '../../reporting/format-quantity.js';
import { markdownTable, markdownText } from '../../reporting/markdown-table.js';
import { trainedCells, type AblationResult, type CellSummary } from '../../ablation/ablation-result.js';
import { formatP } from '../../ablation/answer-question.js';
import { effectName, type GridEffect } from '../../ablation/grid-effects.js';
import type { CellComparison } from '../../ablation/compare-cells.js';
import { formatInterval, formatMean, formatMeasure } from '../../ablation/format-measure.js';
import type { Measure } from '../../ablation/read-outcomes.js';
import { reservationSentences } from '../../reporting/reservations.js';
import { cellOf, estimatesOf, measuredMean, namedComparisons } from '../../ablation/transfer-lines.js';
import type { TransferSummary } from '../../ablation/transfer-summary.js';
import { shellCommand } from './shell-command.js';

/**
 * An ablation as a section of a paper or of a page of results. @param command the words after `agentgym` that created
 * it, if known
 */
export function ablationMarkdown(result: AblationResult, command: readonly string[] | undefined): string[] {
  const {
    name,
    ablation,
    question,
    answer,
    cells,
    comparisons,
    effects = [],
    measure,
    temperature,
    split,
    transfer,
  } = result;
  const own = trainedCells(cells);
  const made = command === undefined ? [] : ['```console', `$ ${shellCommand(['agentgym', ...command])}`, '```', ''];
  const remarks = [
    ...(transfer?.notes ?? []),
    ...own.flatMap(({ id, title, trained = title ?? id, notes }) => notes.map((note) => `${trained}: ${note}`)),
    ...own.flatMap(({ id, title, trained = title ?? id, runs }) =>
      runs.flatMap(({ seed, status, cause }) =>
        status === 'completed'
          ? []
          : [`${trained}, seed ${seed}: ${status}${cause === undefined ? '' : ` (${cause})`}`],
      ),
    ),
    ...(command === undefined ? [`The command of ${basename(ablation)} was not recorded.`] : []),
  ];
  return [
    `## ${markdownText(name)}`,
    '',
    markdownText(question),
    '',
    ...made,
    markdownText(answer),
    '',
    ...(transfer === undefined ? [] : [...transferTable(result, transfer), '']),
    ...cellTable(
      own.map((cell) => ({ ...cell, id: cell.trained ?? cell.title ?? cell.id })),
      measure,
    ),
    '',
    ...(comparisons.length === 0 ? [] : [...differenceTable(namedComparisons(result), measure), '']),
    ...(effects.length === 0 ? [] : [...effectTable(effects, measure), '']),
    `${split} split, temperature ${temperature}. Intervals are 95 % intervals for other seeds and other tasks; p is two-sided; p (Holm) is corrected over ` +
      `${comparisons.length} ${comparisons.length === 1 ? 'difference' : 'differences'}.`,
    ...reservationSentences(estimatesOf(result)).flatMap((sentence) => ['', sentence]),
    ...(remarks.length === 0 ? [] : ['', ...remarks.map((remark) => `- ${markdownText(remark)}`)]),
  ];
}

/** Rows are trained levels, columns tested levels. */
function transferTable({ cells, measure }: AblationResult, { trained, tested, elsewhere }: TransferSummary): string[] {
  const right = (title: string) => ({ title: markdownText(title), align: 'right' as const });
  const unit = measure === 'success' ? 'points' : measure;
  const rows = trained.map((row) => {
    const loss = elsewhere.find(({ b }) => b === row)?.difference ?? null;
    return [
      markdownText(row),
      ...tested.map((column) => {
        const cell = cellOf(cells, row, column);
        const mean = cell === undefined ? null : measuredMean(cell, measure);
        const text = mean === null ? '-' : `${formatMean(mean, measure)} (${formatInterval(mean, measure)})`;
        return row === column && mean !== null ? `**${text}**` : text;
      }),
      loss === null ? '-' : `${formatMeasure(loss.mean, measure)} (${formatInterval(loss, measure)})`,
    ];
  });
  return [
    ...markdownTable([{ title: 'trained on' }, ...tested.map(right), right('elsewhere')], rows),
    '',
    `${measure[0]?.toUpperCase()}${measure.slice(1)}: rows are trained on, columns are tested on. Elsewhere: mean difference in ${unit} to the cells ` +
      'trained on the other columns.',
  ];
}

function cellTable(cells: readonly CellSummary[], measure: Measure): string[] {
  const spent = cells.map((cell) => new Map(Object.entries(cell.spent)));
  const currencies = [...new Set(spent.flatMap((of) => [...of.keys()]))].filter((currency) =>
    spent.some((of) => (of.get(currency) ?? 0) !== 0),
  );
  const columns = [
    { title: 'cell' },
    { title: 'success', align: 'right' as const },
    { title: '95 % interval', align: 'right' as const },
    ...(measure === 'success' ? [] : [measure, '95 % interval'].map((title) => ({ title, align: 'right' as const }))),
    { title: 'seeds', align: 'right' as const },
    ...currencies.map((currency) => ({ title: currencyName(currency), align: 'right' as const })),
  ];
  const rows = cells.map((cell, i) => {
    const { id, measured, seeds, runs } = cell;
    const rate = measuredMean(cell, 'success');
    return [
      markdownText(id),
      formatMean(rate, 'success'),
      formatInterval(rate, 'success'),
      ...(measure === 'success'
        ? []
        : [formatMean(measured ?? null, measure), formatInterval(measured ?? null, measure)]),
      seeds.length === runs.length ? String(seeds.length) : `${seeds.length} of ${runs.length}`,
      ...currencies.map((currency) => amountOf(currency, spent[i]?.get(currency))),
    ];
  });
  return [...markdownTable(columns, rows), '', 'Costs are means per run.'];
}

/** A table of differences with intervals, p and Holm's p. */
export function differenceTable(comparisons: readonly CellComparison[], measure: Measure): string[] {
  const unpaired = comparisons.some(({ design }) => design === 'unpaired');
  const columns = [
    { title: 'difference' },
    { title: measure === 'success' ? 'points' : measure, align: 'right' as const },
    { title: '95 % interval', align: 'right' as const },
    { title: 'p', align: 'right' as const },
    { title: 'p (Holm)', align: 'right' as const },
    { title: 'seeds', align: 'right' as const },
    { title: 'tasks', align: 'right' as const },
    ...(unpaired ? [{ title: 'design' }] : []),
  ];
  const rows = comparisons.map(({ a, b, difference, p, corrected, seeds, tasks, design }) => [
    `${markdownText(b)} - ${markdownText(a)}`,
    formatMeasure(difference.mean, measure),
    formatInterval(difference, measure),
    pText(p),
    pText(corrected),
    String(seeds),
    String(tasks),
    ...(unpaired ? [design] : []),
  ]);
  return markdownTable(columns, rows);
}

/** Main effects over the whole grid, then interactions. */
function effectTable(effects: readonly GridEffect[], measure: Measure): string[] {
  const right = (title: string) => ({ title, align: 'right' as const });
  const columns = [
    { title: 'over the grid' },
    ...[measure === 'success' ? 'points' : measure, '95 % interval', 'p', 'p (Holm)'].map(right),
  ];
  const rows = effects.map(({ kind, a, b, difference, p, corrected }) => [
    markdownText(effectName({ kind, a, b })),
    formatMeasure(difference.mean, measure),
    formatInterval(difference, measure),
    pText(p),
    pText(corrected),
  ]);
  return [
    ...markdownTable(columns, rows),
    '',
    "a x b: effect of b with a, minus its effect with the first value of a's key. p is corrected over this table.",
  ];
}

/** "0.013" or "\< 0.001". */
function pText(p: number): string {
  return markdownText(formatP(p).replace('= ', ''));
}

/** `optimizerSteps` in words. */
function currencyName(currency: string): string {
  if (currency === 'operations') return 'FLOPs';
  return currency.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function amountOf(currency: string, amount: number | undefined): string {
  if (amount === undefined) return '-';
  if (currency === 'seconds') return formatSeconds(amount);
  return currency === 'operations' ? amount.toExponential(1).replace('+', '') : formatCount(amount);
}
