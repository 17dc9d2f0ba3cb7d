import { formatShare } from '../../reporting/format-quantity.js';
import type { ResultRow } from '../../reporting/results-table.js';
import { labelTables } from '../../reporting/label-tables.js';
import { markdownTable, markdownText } from '../../reporting/markdown-table.js';
import { formatInterval, formatMean } from '../../ablation/format-measure.js';
import type { RunsComparison } from '../compare-runs.js';
import { named, recipeValues, testCells, testTitles } from '../compare-runs-lines.js';
import type { LoadedRun } from '../../runs/load-run.js';
import { resultRows, transferRows } from '../result-lines.js';
import { spentLine } from '../spent-line.js';
import { totalsOfMetrics } from '../../training/spending.js';
import { differenceTable } from './ablation-markdown.js';

const right = (title: string) => ({ title, align: 'right' as const });

/** A run as a section: its players with intervals, and its costs. */
export function runMarkdown(run: LoadedRun): string[] {
  const { name, recipe } = run.manifest;
  return [`## ${markdownText(run.name ?? name)}, seed ${recipe.seed}`, '', ...resultsMarkdown(run)];
}

/**
 * The players of a run with intervals, and its costs.
 *
 * @param isLabelled the players that appear in tables by label
 */
export function resultsMarkdown(
  { status, result, metrics }: Pick<LoadedRun, 'status' | 'result' | 'metrics'>,
  isLabelled: (row: ResultRow) => boolean = () => true,
): string[] {
  const rows = result === undefined ? [] : resultRows(result);
  const others = result === undefined ? [] : transferRows(result);
  const splits = [...new Set(rows.map(({ evaluation }) => evaluation.split))].join(', ');
  const spent = spentLine(totalsOfMetrics(metrics.at(-1)?.metrics ?? {}));
  return [
    ...(rows.length === 0
      ? [`The run is ${status} and has no final evaluation.`]
      : [
          ...playersTable(rows),
          '',
          `${splits} split; 95 % intervals for other tasks.`,
          ...byLabel(rows.filter(isLabelled)),
        ]),
    ...others.flatMap(({ environment, rows: played }) => [
      '',
      `Tested on ${markdownText(environment)}:`,
      '',
      ...playersTable(played),
      ...byLabel(played.filter(isLabelled)),
    ]),
    ...(spent === '' ? [] : ['', `Spent: ${spent}.`]),
  ];
}

/** Success by each task label. */
function byLabel(rows: readonly ResultRow[]): string[] {
  return labelTables(rows).flatMap(({ axis, rows: own }) => {
    const title = markdownText(axis);
    const columns = [{ title }, { title: 'player' }, ...['success', '95 % interval', 'episodes', 'tasks'].map(right)];
    const cells = own.map(({ value, name, tasks, success }) => [
      markdownText(value),
      markdownText(name),
      ...successCells(success),
      String(tasks),
    ]);
    return ['', `By ${title}:`, '', ...markdownTable(columns, cells)];
  });
}

function successCells({ rate, low, high, episodes }: ResultRow['evaluation']['success']): string[] {
  return [formatShare(rate), formatInterval({ mean: rate, low, high }, 'success'), String(episodes)];
}

/** Players as rows of a table. */
export function playersTable(rows: readonly ResultRow[]): string[] {
  const columns = [{ title: 'player' }, ...['success', '95 % interval', 'episodes', 'turns', 'return'].map(right)];
  const players = rows.map(({ name, evaluation: { success, turns, return: mean } }) => [
    markdownText(name),
    ...successCells(success),
    turns.mean.toFixed(1),
    mean.mean.toFixed(2),
  ]);
  return markdownTable(columns, players);
}

/** Several runs as a section: their status, the differences of their recipes, and the differences of their success. */
export function comparisonMarkdown(comparison: RunsComparison): string[] {
  const { runs, differences, comparisons, measure, split, temperature } = comparison;
  const columns = [
    { title: 'run' },
    { title: 'name' },
    { title: 'recipe' },
    { title: 'status' },
    ...['steps', measure, '95 % interval'].map(right),
    ...testTitles(runs).map((title) => ({ title })),
  ];
  const rows = runs.map((run) => {
    const mean = measure === 'success' ? run.success : (run.measured ?? null);
    const { id, label, recipe, status, steps } = run;
    const shown = [formatMean(mean, measure), formatInterval(mean, measure), ...testCells(run, runs).map(markdownText)];
    return [id, markdownText(label), markdownText(recipe), status, String(steps), ...shown];
  });
  const labels = runs.map(({ label }) => ({ title: markdownText(label) }));
  const keys = differences.map(({ key, values }) => [`\`${key}\``, ...recipeValues(values).map(markdownText)]);
  const pairs = `${comparisons.length} ${comparisons.length === 1 ? 'difference' : 'differences'}`;
  return [
    '## Runs',
    '',
    ...markdownTable(
      [...columns, { title: 'spent' }],
      rows.map((row, i) => [...row, spentLine(runs[i]?.spent ?? {})]),
    ),
    ...(keys.length === 0 ? [] : ['', ...markdownTable([{ title: 'recipe' }, ...labels], keys)]),
    ...(comparisons.length === 0 ? [] : ['', ...differenceTable(named(comparison), measure)]),
    ...(split === null
      ? []
      : [
          '',
          `${split} split, temperature ${temperature}. Intervals are 95 % intervals for other tasks, not for other seeds; p is two-sided; p (Holm) is corrected ` +
            `over ${pairs}.`,
        ]),
  ];
}
