import type { Json } from '../contracts/json.js';
import { alignColumns } from '../reporting/align-columns.js';
import { formatShare } from '../reporting/format-quantity.js';
import { shownValues } from '../reporting/shown-values.js';
import { paint, type TerminalStyle } from '../reporting/terminal-style.js';
import { comparisonLines } from '../ablation/ablation-lines.js';
import { formatInterval, formatMean } from '../ablation/format-measure.js';
import { reservationSentences } from '../reporting/reservations.js';
import type { RunsComparison } from './compare-runs.js';
import type { PackageRecord } from '../runs/run-manifest.js';
import { spentLine } from './spent-line.js';

/**
 * Runs side by side for a reader: their status, the differences of their recipes, and the differences of their success.
 */
export function compareRunsLines(comparison: RunsComparison, style: TerminalStyle): string[] {
  const { runs, differences, packages, comparisons, measure, split, temperature } = comparison;
  const title = (line: string) => paint(line, 'dim', style);
  const [head = '', ...rows] = alignColumns([
    ['run', 'name', 'recipe', 'seed', 'status', 'steps', measure, '95 % interval', ...testTitles(runs), 'spent'],
    ...runs.map((run) => {
      const mean = measure === 'success' ? run.success : (run.measured ?? null);
      const { id, label, recipe, seed, status, steps, spent } = run;
      const shown = [formatMean(mean, measure), formatInterval(mean, measure), ...testCells(run, runs)];
      return [id, label, recipe, String(seed), status, String(steps), ...shown, spentLine(spent)];
    }),
  ]);
  const [keys = '', ...values] = alignColumns([
    ['recipe', ...runs.map(({ label }) => label)],
    ...differences.map(({ key, values: of }) => [key, ...recipeValues(of)]),
  ]);
  const [plugins = '', ...versions] = alignColumns([
    ['plugin', ...runs.map(({ label }) => label)],
    ...packages.map(({ name, values: of }) => [name, ...of.map((one) => packageVersion(one, of))]),
  ]);
  const judged = `${split ?? ''} split, temperature ${temperature}${pairing(comparisons)}`;
  return [
    title(head),
    ...rows,
    '',
    ...(values.length === 0 ? ['The recipes do not differ.'] : [title(keys), ...values]),
    ...(versions.length === 0 ? [] : ['', title(plugins), ...versions]),
    ...(comparisons.length === 0 ? [] : ['', ...comparisonLines(named(comparison), measure, title)]),
    ...(split === null ? [] : ['', title(judged)]),
    ...(comparisons.length === 0
      ? []
      : reservationSentences(comparisons.map(({ difference }) => difference)).map(title)),
  ];
}

function pairing(comparisons: RunsComparison['comparisons']): string {
  const paired = comparisons.filter(({ design }) => design === 'paired').length;
  if (paired === 0) return comparisons.length === 0 ? '' : '; the runs played different tasks';
  return paired === comparisons.length
    ? '; paired by task id'
    : '; paired by task id, except where the runs played different tasks';
}

/** A version. If another run used other files of the same version, the beginning of the integrity is added. */
function packageVersion(one: PackageRecord | null, all: readonly (PackageRecord | null)[]): string {
  if (one === null) return '-';
  const alike = all.some((other) => other?.version === one.version && other.integrity !== one.integrity);
  return alike ? `${one.version} (${one.integrity.slice(0, 15)}…)` : one.version;
}

/** The values of a recipe's key in a table, one for each run. */
export function recipeValues(values: readonly Json[]): string[] {
  return shownValues(values).map((text, i) => (values[i] === null ? '-' : text));
}

/** The differences with the names of runs. */
export function named({ runs, comparisons }: RunsComparison): RunsComparison['comparisons'] {
  const labelOf = (id: string) => runs.find((run) => run.id === id)?.label ?? id;
  return comparisons.map((one) => ({ ...one, a: labelOf(one.a), b: labelOf(one.b) }));
}

/** Titles of the columns about different tests; none if all runs have the same. */
export function testTitles(runs: RunsComparison['runs']): string[] {
  return runs.some(({ test }) => test !== undefined) ? ['before RL', 'random', 'tested on'] : [];
}

/** What a run was tested on, beside its baselines. */
export function testCells({ test, baselines }: RunsComparison['runs'][number], runs: RunsComparison['runs']): string[] {
  const rate = (one: { readonly rate: number } | null | undefined) => (one ? formatShare(one.rate) : '-');
  if (testTitles(runs).length === 0) return [];
  return [rate(baselines?.start), rate(baselines?.random), test ?? '-'];
}
