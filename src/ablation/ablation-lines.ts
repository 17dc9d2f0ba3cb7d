import { alignColumns } from '../reporting/align-columns.js';
import { formatCount, formatSeconds } from '../reporting/format-quantity.js';
import { paint, type TerminalStyle } from '../reporting/terminal-style.js';
import type { Rendering } from '../runners/rendered/renderer.js';
import { probabilityText } from './answer-question.js';
import type { CellComparison } from './compare-cells.js';
import type { CellEstimate } from './estimate-cells.js';
import { effectName, type GridEffect } from './grid-effects.js';
import { reservationSentences } from '../reporting/reservations.js';
import { formatInterval, formatMean, formatMeasure } from './format-measure.js';
import type { Measure } from './read-outcomes.js';
import { saturationOf } from './saturation.js';
import { trainedCells, type AblationResult, type CellSummary } from './ablation-result.js';
import { estimatesOf, measuredMean, namedComparisons, transferLines } from './transfer-lines.js';

/** The lines that describe an ablation for people: its cells, their differences, and the answer. */
export function ablationLines(result: AblationResult, style: TerminalStyle): string[] {
  const { cells, comparisons, effects = [], measure, temperature, split, question, answer, transfer } = result;
  const title = (line: string) => paint(line, 'dim', style);
  const own = trainedCells(cells);
  const notes = [
    ...(transfer?.notes ?? []),
    ...own.flatMap(({ id, title, trained = title ?? id, notes: of }) => of.map((note) => `${trained}: ${note}`)),
  ];
  const failures = own.flatMap(({ id, title, trained = title ?? id, runs }) =>
    runs.flatMap(({ seed, cause }) => (cause === undefined ? [] : [`${trained}, seed ${seed}: ${cause}`])),
  );
  return [
    question,
    '',
    ...(transfer === undefined ? cellLines(cells, measure, title) : transferLines(result, transfer, style)),
    ...(comparisons.length === 0 ? [] : ['', ...comparisonLines(namedComparisons(result), measure, title)]),
    ...(effects.length === 0 ? [] : ['', ...effectLines(effects, measure, title)]),
    title(`${split} split, temperature ${temperature}; intervals for other seeds and other tasks`),
    // More seeds do not help cells without room for a difference, and the answer says what does.
    ...(saturationOf(own, measure) === undefined ? reservationSentences(estimatesOf(result)).map(title) : []),
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...(failures.length === 0 ? [] : ['', ...failures]),
    '',
    answer,
  ];
}

/** What a user does with an ablation that was written for a scheduler. */
export function renderingLines({ ablation, cells }: AblationResult, { files, commands }: Rendering): string[] {
  const runs = trainedCells(cells).flatMap((cell) => cell.runs);
  const done = runs.filter(({ status }) => status === 'completed').length;
  const lines = [`${done} of ${runs.length} runs are complete: ${ablation}`];
  if (done === runs.length) return [...lines, 'The same command without `--runner` compares the cells.'];
  if (commands.length === 0) return [...lines, 'All others are being trained now.'];
  return [
    ...lines,
    ...files.map((file) => `Written: ${file}`),
    '',
    'Submit the missing runs with:',
    ...commands.map((command) => `  ${command}`),
    '',
    'Then the same command without `--runner` compares the cells.',
  ];
}

/** The expected cost of a grid, before it runs. */
export function estimateLines(estimates: readonly CellEstimate[], seeds: number, workers: number): string[] {
  const total = estimates.reduce((sum, { seconds, sharedSeconds }) => sum + seconds - sharedSeconds, 0) * seeds;
  const rows = estimates.map(({ id, title = id, seconds, steps, demonstrations, episodes }) => [
    title,
    `about ${formatSeconds(seconds)}`,
    String(steps),
    formatCount(demonstrations),
    formatCount(episodes),
  ]);
  return [
    ...alignColumns([['cell', 'a run', 'steps', 'demonstrations', 'episodes'], ...rows]),
    '',
    `${estimates.length} cells with ${seeds} seeds, ${workers} at the same time: about ${formatSeconds(total / workers)}`,
    ...estimates.flatMap(({ id, title = id, notes }) => notes.map((note) => `${title}: ${note}`)),
  ];
}

function cellLines(cells: readonly CellSummary[], measure: Measure, title: (line: string) => string): string[] {
  const [head = '', ...rows] = alignColumns([
    ['cell', measure, '95 % interval', 'seeds', 'cost'],
    ...cells.map((cell) => cellRow(cell, measure)),
  ]);
  return [title(head), ...rows];
}

function cellRow(cell: CellSummary, measure: Measure): string[] {
  const { id, title = id, seeds, runs, spent } = cell;
  const value = measuredMean(cell, measure);
  const count = `${seeds.length}/${runs.length}`;
  return [
    title,
    formatMean(value, measure),
    formatInterval(value, measure),
    count,
    value === null ? '' : costOf(spent),
  ];
}

/** One difference per line, with its interval, p, and p after Holm's correction. */
export function comparisonLines(
  comparisons: readonly CellComparison[],
  measure: Measure,
  title: (line: string) => string,
): string[] {
  const unit = measure === 'success' ? 'points' : measure;
  const rows = comparisons.map(({ a, b, difference, p, corrected, design, tasks }) => [
    `${b} - ${a}`,
    formatMeasure(difference.mean, measure),
    formatInterval(difference, measure),
    probabilityText(p),
    probabilityText(corrected),
    // Two runs may share a few of their tasks only: the difference is then not that of their rates.
    formatCount(tasks),
    design === 'unpaired' ? 'not paired' : '',
  ]);
  const titles = ['difference', unit, '95 % interval', 'p', 'p (Holm)', 'tasks', ''];
  const [head = '', ...lines] = alignColumns([titles, ...rows]);
  return [title(head), ...lines];
}

/** Main effects, then interactions. */
function effectLines(effects: readonly GridEffect[], measure: Measure, title: (line: string) => string): string[] {
  const unit = measure === 'success' ? 'points' : measure;
  const rows = effects.map(({ kind, a, b, difference, p, corrected }) => [
    effectName({ kind, a, b }),
    formatMeasure(difference.mean, measure),
    formatInterval(difference, measure),
    probabilityText(p),
    probabilityText(corrected),
  ]);
  const [head = '', ...lines] = alignColumns([['over the grid', unit, '95 % interval', 'p', 'p (Holm)'], ...rows]);
  const explained = "a x b: effect of b with a, minus its effect with the first value of a's key";
  return [title(head), ...lines, ...(effects.some(({ kind }) => kind === 'interaction') ? [title(explained)] : [])];
}

function costOf(spent: CellSummary['spent']): string {
  const { demonstrations, episodes, units } = spent;
  return [
    ...(units === undefined ? [] : [`${formatCount(units)} units`]),
    ...(demonstrations === undefined ? [] : [`${formatCount(demonstrations)} demonstrations`]),
    ...(episodes === undefined ? [] : [`${formatCount(episodes)} episodes`]),
  ].join(', ');
}
