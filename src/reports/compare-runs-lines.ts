import type { Json } from '../contracts/json.js';
import { alignColumns } from '../reporting/align-columns.js';
import { paint, type TerminalStyle } from '../reporting/terminal-style.js';
import { comparisonLines } from '../ablation/ablation-lines.js';
import { formatInterval, formatMean } from '../ablation/format-measure.js';
import { reservationSentences } from '../reporting/reservations.js';
import type { RunsComparison } from './compare-runs.js';
import type { PackageRecord } from '../runs/run-manifest.js';
import { spentLine } from './spent-line.js';

/** Longer values of a recipe are cut, because a whole list of terms would hide the rest. */
const longestValue = 40;

/**
 * Runs side by side for a reader: their status, the differences of their recipes, and the differences of their success.
 */
export function compareRunsLines(comparison: RunsComparison, style: TerminalStyle): string[] {
  const { runs, differences, packages, comparisons, measure, split, temperature } = comparison;
  const title = (line: string) => paint(line, 'dim', style);
  const [head = '', ...rows] = alignColumns([
    ['run', 'recipe', 'seed', 'status', 'steps', measure, '95 % interval', 'spent'],
    ...runs.map((run) => {
      const mean = measure === 'success' ? run.success : (run.measured ?? null);
      const { id, recipe, seed, status, steps, spent } = run;
      const shown = [formatMean(mean, measure), formatInterval(mean, measure), spentLine(spent)];
      return [id, recipe, String(seed), status, String(steps), ...shown];
    }),
  ]);
  const [keys = '', ...values] = alignColumns([
    ['recipe', ...runs.map(({ id }) => id)],
    ...differences.map(({ key, values: of }) => [key, ...of.map(recipeValue)]),
  ]);
  const [plugins = '', ...versions] = alignColumns([
    ['plugin', ...runs.map(({ id }) => id)],
    ...packages.map(({ name, values: of }) => [name, ...of.map((one) => packageVersion(one, of))]),
  ]);
  const judged = `${split ?? ''} split, temperature ${temperature}${pairing(comparisons)}`;
  return [
    title(head),
    ...rows,
    '',
    ...(values.length === 0 ? ['The recipes do not differ.'] : [title(keys), ...values]),
    ...(versions.length === 0 ? [] : ['', title(plugins), ...versions]),
    ...(comparisons.length === 0 ? [] : ['', ...comparisonLines(comparisons, measure, title)]),
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

/** A leaf of a recipe in a table. */
export function recipeValue(value: Json): string {
  const text = value === null ? '-' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longestValue ? `${text.slice(0, longestValue - 1)}…` : text;
}
