import type { CellComparison } from '../ablation/compare-cells.js';
import { explanation, tableOf, type Block, type CellColumn } from '../reporting/blocks/block.js';
import { meanText, rangeText } from '../reporting/blocks/measure-text.js';
import { spentText } from '../reporting/blocks/tell-costs.js';
import { environmentBlocks } from '../reporting/blocks/tell-environments.js';
import { differenceBlocks } from '../reporting/blocks/tell-differences.js';
import { formatShare } from '../reporting/format-quantity.js';
import { shownValues } from '../reporting/shown-values.js';
import type { PackageRecord } from '../runs/run-manifest.js';
import type { RunsComparison } from './compare-runs.js';
import { finite, reportComparison } from './report-comparisons.js';

type Row = RunsComparison['runs'][number];

/** Runs side by side: their status, the differences of their recipes, and the differences of their results. */
export function comparisonBlocks(comparison: RunsComparison): Block[] {
  const { runs, differences, packages, comparisons, environments, measure, split, temperature } = comparison;
  const labelOf = (id: string) => runs.find((run) => run.id === id)?.label ?? id;
  const told = (one: CellComparison) => reportComparison(one, { measure, a: labelOf(one.a), b: labelOf(one.b) });
  const meanOf = ({ success, measured = null }: Row) => (measure === 'success' ? success : measured);
  return [
    tableOf<Row>(
      'Runs',
      [
        { title: 'run', kind: 'text', cell: ({ id }) => id },
        { title: 'name', kind: 'text', cell: ({ label }) => label },
        { title: 'recipe', kind: 'text', rank: 3, cell: ({ recipe }) => recipe },
        { title: 'seed', kind: 'number', rank: 2, cell: ({ seed }) => String(seed) },
        { title: 'status', kind: 'text', rank: 1, cell: ({ status }) => status },
        { title: 'steps', kind: 'number', rank: 4, cell: ({ steps }) => String(steps) },
        { title: measure, kind: 'number', cell: (run) => textOf(meanOf(run), ({ mean }) => meanText(measure, mean)) },
        {
          ...{ title: '95 % interval', kind: 'number' },
          cell: (run) => textOf(meanOf(run), (mean) => rangeText(measure, finite(mean))),
        },
        ...testColumns(runs),
        { title: 'spent', kind: 'text', rank: 5, cell: ({ spent }) => spentText(spent) },
      ],
      runs,
    ),
    ...explanation(
      differences.length === 0 ? 'The recipes do not differ.' : '',
      split === null
        ? ''
        : `${split} split, temperature ${temperature}. 95 % intervals are for other tasks, not for other seeds.`,
    ),
    ...sideBySide('recipe', runs, differences, shownValues),
    ...sideBySide(
      'plugin',
      runs,
      packages.map(({ name, values }) => ({ key: name, values })),
      (values) => values.map((one) => packageVersion(one, values)),
    ),
    ...environmentBlocks(
      'run',
      measure,
      environments.flatMap(({ environment, runs: means }) =>
        Object.entries(means).map(([id, mean]) => ({ environment, label: labelOf(id), mean: finite(mean) })),
      ),
    ),
    ...differenceBlocks([
      ...comparisons.map(told),
      ...environments.flatMap(({ environment, comparisons: own }) => own.map((one) => ({ ...told(one), environment }))),
    ]),
  ];
}

function textOf<T>(value: T | null, text: (value: T) => string): string {
  return value === null ? '–' : text(value);
}

/** What each run was tested on, beside its baselines; none if all runs have the same test. */
function testColumns(runs: readonly Row[]): CellColumn<Row>[] {
  if (runs.every(({ test }) => test === undefined)) return [];
  const rate = (one: { readonly rate: number } | null | undefined) =>
    textOf(one ?? null, (found) => formatShare(found.rate));
  return [
    { title: 'before RL', kind: 'number', cell: ({ baselines }) => rate(baselines?.start) },
    { title: 'random', kind: 'number', cell: ({ baselines }) => rate(baselines?.random) },
    { title: 'tested on', kind: 'text', cell: ({ test = '–' }) => test },
  ];
}

/** What differs, with one column for each run. */
function sideBySide<Value>(
  what: string,
  runs: readonly Row[],
  differing: readonly { readonly key: string; readonly values: readonly (Value | null)[] }[],
  shown: (values: readonly (Value | null)[]) => readonly string[],
): Block[] {
  if (differing.length === 0) return [];
  const rows = differing.map(({ key, values }) => {
    const texts = shown(values);
    return [`\`${key}\``, ...values.map((value, i) => (value === null ? '–' : (texts[i] ?? '')))];
  });
  const columns = [what, ...runs.map(({ label }) => label)].map((title, i) => {
    return { title, kind: 'text' as const, cell: (row: readonly string[]) => row[i] ?? '' };
  });
  return [tableOf(`Differing ${what}s`, columns, rows)];
}

/** A version. If another run used other files of the same version, the beginning of the integrity is added. */
function packageVersion(one: PackageRecord | null, all: readonly (PackageRecord | null)[]): string {
  if (one === null) return '';
  const alike = all.some((other) => other?.version === one.version && other.integrity !== one.integrity);
  return alike ? `${one.version} (${one.integrity.slice(0, 15)}…)` : one.version;
}
