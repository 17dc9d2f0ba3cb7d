import { basename } from 'node:path';

import { formatCount, formatSeconds } from '../../reporting/format-quantity.js';
import { markdownTable, markdownText } from '../../reporting/markdown-table.js';
import { saturationOf } from '../../ablation/saturation.js';
import { trainedCells, type AblationResult, type CellSummary } from '../../ablation/ablation-result.js';
import { probabilityText } from '../../ablation/answer-question.js';
import { effectName, type GridEffect } from '../../ablation/grid-effects.js';
import type { CellComparison } from '../../ablation/compare-cells.js';
import { formatInterval, formatMean, formatMeasure } from '../../ablation/format-measure.js';
import type { Measure } from '../../ablation/read-outcomes.js';
import { reservationSentences } from '../../reporting/reservations.js';
import { cellOf, estimatesOf, measuredMean, namedComparisons } from '../../ablation/transfer-lines.js';
import type { TransferSummary } from '../../ablation/transfer-summary.js';
import { shellCommand } from '../../runs/shell-command.js';

/**
 * An ablation as a section of a paper or of a page of results.
 *
 * @param command the words after `agentgym` that created it, if known
 * @param others the same ablation at other temperatures
 */
export function ablationMarkdown(
  result: AblationResult,
  command: readonly string[] | undefined,
  others: readonly AblationResult[] = [],
): string[] {
  const { name, ablation, question, answer, cells, measure, transfer } = result;
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
    ...resultTables(result, cellTable(named(own), measure)),
    ...(remarks.length === 0 ? [] : ['', ...remarks.map((remark) => `- ${markdownText(remark)}`)]),
    ...others.flatMap((other) => [
      '',
      `### At temperature ${other.temperature}`,
      '',
      ...resultTables(other, rateTable(named(trainedCells(other.cells)), measure)),
    ]),
  ];
}

/** The cells with names for people as their ids. */
function named(cells: readonly CellSummary[]): readonly CellSummary[] {
  return cells.map((cell) => ({ ...cell, id: cell.trained ?? cell.title ?? cell.id }));
}

/** Everything that depends on the temperature. */
function resultTables(result: AblationResult, table: readonly string[]): string[] {
  const { comparisons, gains = [], effects = [], measure, temperature, split, transfer } = result;
  return [
    ...(transfer === undefined ? [] : [...transferTable(result, transfer), '']),
    ...table,
    '',
    ...(gains.length === 0 ? [] : [...gainTable(result, gains), '']),
    ...(comparisons.length === 0 ? [] : [...differenceTable(namedComparisons(result), measure), '']),
    ...(effects.length === 0 ? [] : [...effectTable(effects, measure), '']),
    `${split} split, temperature ${temperature}. Intervals are 95 % intervals for other seeds and other tasks; p is two-sided; p (Holm) is corrected over ` +
      `${comparisons.length} ${comparisons.length === 1 ? 'difference' : 'differences'}.`,
    ...(saturationOf(trainedCells(result.cells), measure) === undefined
      ? reservationSentences(estimatesOf(result)).flatMap((sentence) => ['', sentence])
      : []),
  ];
}

/** The start of each cell, and what reinforcement learning adds to it. */
function gainTable({ cells, measure }: AblationResult, gains: readonly CellComparison[]): string[] {
  const columns = [
    { title: 'cell' },
    ...['start', '95 % interval', measure === 'success' ? 'points gained' : 'gain', '95 % interval'].map(right),
    ...['p', 'p (Holm)', 'seeds', 'tasks'].map(right),
  ];
  const rows = gains.map((gain) => {
    const cell = cells.find(({ id }) => id === gain.b);
    const start = cell?.start ?? null;
    return [
      markdownText(cell?.trained ?? cell?.title ?? gain.b),
      formatMean(start, measure),
      formatInterval(start, measure),
      ...testCells(gain, measure),
      String(gain.seeds),
      String(gain.tasks),
    ];
  });
  return [
    ...markdownTable(columns, rows),
    '',
    'Start: the policy before reinforcement learning, on the same tasks. p is corrected over this table.',
  ];
}

/** Rows are trained levels, columns tested levels. */
function transferTable({ cells, measure }: AblationResult, { trained, tested, elsewhere }: TransferSummary): string[] {
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
    ...markdownTable(
      [{ title: 'trained on' }, ...tested.map((title) => right(markdownText(title))), right('elsewhere')],
      rows,
    ),
    '',
    `${measure[0]?.toUpperCase()}${measure.slice(1)}: rows are trained on, columns are tested on. Elsewhere: mean difference in ${unit} to the cells ` +
      'trained on the other columns.',
  ];
}

/** Rates of cells, and what their runs cost. */
function cellTable(cells: readonly CellSummary[], measure: Measure): string[] {
  const spent = cells.map((cell) => new Map(Object.entries(cell.spent)));
  const currencies = [...new Set(spent.flatMap((of) => [...of.keys()]))].filter((currency) =>
    spent.some((of) => (of.get(currency) ?? 0) !== 0),
  );
  const columns = [
    ...rateColumns(measure),
    ...currencies.map((currency) => ({ title: currencyName(currency), align: 'right' as const })),
  ];
  const rows = cells.map((cell, i) => [
    ...rateRow(cell, measure),
    ...currencies.map((currency) => amountOf(currency, spent[i]?.get(currency))),
  ]);
  return [...markdownTable(columns, rows), '', 'Costs are means per run.'];
}

function rateTable(cells: readonly CellSummary[], measure: Measure): string[] {
  const rows = cells.map((cell) => rateRow(cell, measure));
  return markdownTable(rateColumns(measure), rows);
}

function rateColumns(measure: Measure) {
  const measures = measure === 'success' ? ['success'] : ['success', measure];
  const titles = [...measures.flatMap((title) => [title, '95 % interval']), 'seeds'];
  return [{ title: 'cell' }, ...titles.map((title) => ({ title, align: 'right' as const }))];
}

function rateRow(cell: CellSummary, measure: Measure): string[] {
  const { id, measured, seeds, runs } = cell;
  const means = [measuredMean(cell, 'success'), ...(measure === 'success' ? [] : [measured ?? null])];
  const measures = ['success', measure] as const;
  return [
    markdownText(id),
    ...means.flatMap((mean, i) => [formatMean(mean, measures[i]!), formatInterval(mean, measures[i]!)]),
    seeds.length === runs.length ? String(seeds.length) : `${seeds.length} of ${runs.length}`,
  ];
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
  const rows = comparisons.map((comparison) => {
    const { a, b, seeds, tasks, design } = comparison;
    return [
      `${markdownText(b)} - ${markdownText(a)}`,
      ...testCells(comparison, measure),
      String(seeds),
      String(tasks),
      ...(unpaired ? [design] : []),
    ];
  });
  return markdownTable(columns, rows);
}

/** A difference with its interval, p and Holm's p. */
function testCells(
  { difference, p, corrected }: Pick<CellComparison, 'difference' | 'p' | 'corrected'>,
  measure: Measure,
): string[] {
  return [formatMeasure(difference.mean, measure), formatInterval(difference, measure), pText(p), pText(corrected)];
}

const right = (title: string) => ({ title, align: 'right' as const });

/** Main effects over the whole grid, then interactions. */
function effectTable(effects: readonly GridEffect[], measure: Measure): string[] {
  const columns = [
    { title: 'over the grid' },
    ...[measure === 'success' ? 'points' : measure, '95 % interval', 'p', 'p (Holm)'].map(right),
  ];
  const rows = effects.map((effect) => [markdownText(effectName(effect)), ...testCells(effect, measure)]);
  return [
    ...markdownTable(columns, rows),
    '',
    "a x b: effect of b with a, minus its effect with the first value of a's key. p is corrected over this table.",
  ];
}

/** "0.013" or "\< 0.001". */
function pText(p: number): string {
  return markdownText(probabilityText(p));
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
