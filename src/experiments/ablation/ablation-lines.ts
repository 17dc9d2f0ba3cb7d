import { alignColumns } from '../../reporting/align-columns.js';
import { formatCount, formatSeconds } from '../../reporting/format-quantity.js';
import { paint, type TerminalStyle } from '../../reporting/terminal-style.js';
import { formatP } from './answer-question.js';
import type { CellComparison } from './compare-cells.js';
import type { CellEstimate } from './estimate-cells.js';
import { formatInterval, formatMean, formatMeasure } from './format-measure.js';
import type { Measure } from './read-outcomes.js';
import type { AblationResult, CellSummary } from './ablation-result.js';

/** An ablation for a person: its cells, their differences, and the answer. */
export function ablationLines(result: AblationResult, style: TerminalStyle): string[] {
  const { cells, comparisons, measure, temperature, split, question, answer } = result;
  const title = (line: string) => paint(line, 'dim', style);
  const [head = '', ...rows] = alignColumns([
    ['cell', measure, '95 % interval', 'seeds', 'cost'],
    ...cells.map((cell) => cellRow(cell, measure)),
  ]);
  const notes = cells.flatMap(({ id, notes: of }) => of.map((note) => `${id}: ${note}`));
  const failures = cells.flatMap(({ id, runs }) =>
    runs.flatMap(({ seed, cause }) => (cause === undefined ? [] : [`${id}, seed ${seed}: ${cause}`])),
  );
  return [
    question,
    '',
    title(head),
    ...rows,
    ...(comparisons.length === 0 ? [] : ['', ...comparisonLines(comparisons, measure, title)]),
    title(`${split} split, temperature ${temperature}; intervals for other seeds and other tasks`),
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...(failures.length === 0 ? [] : ['', ...failures]),
    '',
    answer,
  ];
}

/** What a grid is going to take, before it is run. */
export function estimateLines(estimates: readonly CellEstimate[], seeds: number, workers: number): string[] {
  const total = estimates.reduce((sum, { seconds }) => sum + seconds, 0) * seeds;
  const rows = estimates.map(({ id, seconds, steps, demonstrations, episodes }) => [
    id,
    `about ${formatSeconds(seconds)}`,
    String(steps),
    formatCount(demonstrations),
    formatCount(episodes),
  ]);
  return [
    ...alignColumns([['cell', 'a run', 'steps', 'demonstrations', 'episodes'], ...rows]),
    '',
    `${estimates.length} cells with ${seeds} seeds, ${workers} side by side: about ${formatSeconds(total / workers)}`,
    ...estimates.flatMap(({ id, notes }) => notes.map((note) => `${id}: ${note}`)),
  ];
}

function cellRow(cell: CellSummary, measure: Measure): string[] {
  const { id, success, measured, seeds, runs, spent } = cell;
  const value = measure === 'success' ? success && { mean: success.rate, ...success } : (measured ?? null);
  const count = `${seeds.length}/${runs.length}`;
  return [id, formatMean(value, measure), formatInterval(value, measure), count, value === null ? '' : costOf(spent)];
}

/** Differences under each other, with intervals, p and Holm's. */
export function comparisonLines(
  comparisons: readonly CellComparison[],
  measure: Measure,
  title: (line: string) => string,
): string[] {
  const unit = measure === 'success' ? 'points' : measure;
  const rows = comparisons.map(({ a, b, difference, p, corrected, design }) => [
    `${b} - ${a}`,
    formatMeasure(difference.mean, measure),
    formatInterval(difference, measure),
    `p ${formatP(p)}`,
    formatP(corrected),
    design === 'unpaired' ? 'other tasks' : '',
  ]);
  const [head = '', ...lines] = alignColumns([['difference', unit, '95 % interval', '', 'by Holm', ''], ...rows]);
  return [title(head), ...lines];
}

function costOf(spent: CellSummary['spent']): string {
  const { demonstrations, episodes, units } = spent;
  return [
    ...(units === undefined ? [] : [`${formatCount(units)} units`]),
    ...(demonstrations === undefined ? [] : [`${formatCount(demonstrations)} demonstrations`]),
    ...(episodes === undefined ? [] : [`${formatCount(episodes)} episodes`]),
  ].join(', ');
}
