import type { Json } from '../contracts/json.js';
import type { ReportCell, ReportComparison, ReportRate, ReportRun, ReportStatus } from '../reporting/report-data.js';
import { grouped } from '../statistics/grouped.js';
import { correctByHolm } from '../statistics/holm.js';
import { compareCells, meanOfRuns } from '../ablation/compare-cells.js';
import { finalEvaluation, outcomesOfRun, withPlaces, type RunOutcomes } from '../ablation/read-outcomes.js';
import type { LoadedRun } from '../runs/load-run.js';
import { settingLeaves, varyingValues } from '../runs/recipe-leaves.js';
import { type EnvironmentTest, environmentTests, finalTestOf, nameTests, outcomesInTest } from './final-test.js';
import { nameSettings } from './name-settings.js';
import { finite, reportComparison } from './report-comparisons.js';

/** A run with its data for the page. */
export interface ReportedRun {
  readonly loaded: LoadedRun;
  readonly report: ReportRun;
  /** Logs of episodes with an incomplete last line. */
  readonly halfWritten: readonly string[];
}

/** Runs of one recipe that differ only in their seeds. */
export interface SeedGroup {
  readonly cell: ReportCell;
  readonly runs: readonly ReportedRun[];
}

/** Groups runs by their settings without the seed, in the order in which the settings first appear. */
export function groupBySettings(runs: readonly ReportedRun[]): SeedGroup[] {
  const members = grouped(runs, ({ loaded }) => JSON.stringify(settingLeaves(loaded.manifest.recipe)));
  const settings = members.map(([first]) => (first === undefined ? {} : settingLeaves(first.loaded.manifest.recipe)));
  const own = varyingValues(settings);
  const labels = nameSettings(
    members.map((of, i) => ({ values: own[i] ?? {}, given: of.map(({ loaded }) => loaded.name) })),
  );
  const tests = nameTests(members.map((of) => of.flatMap(({ loaded }) => finalTestOf(loaded) ?? []).at(0)));
  const isMixed = runs.some(({ loaded }) => environmentTests(loaded).length > 1);
  return members.map((of, i) => {
    const test = tests[i];
    const cell = {
      ...cellOf(`cell-${i + 1}`, labels[i] ?? '', withoutAbsent(own[i] ?? {}), of),
      environments: isMixed ? successByEnvironment(of) : undefined,
    };
    if (test === undefined) return { runs: of, cell };
    const baselines = { start: successOf(of, 'start'), random: successOf(of, 'random') };
    return { runs: of, cell: { ...cell, test, baselines } };
  });
}

/** Removes keys that only other recipes have. */
function withoutAbsent(settings: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
}

const foremost: readonly ReportStatus[] = ['running', 'failed', 'interrupted', 'stopped', 'queued'];

/** The status of several runs together: the first of these that one of them has, otherwise completed. */
export function statusTogether(statuses: readonly ReportStatus[]): ReportStatus {
  return foremost.find((status) => statuses.includes(status)) ?? 'completed';
}

function cellOf(id: string, label: string, settings: Record<string, Json>, runs: readonly ReportedRun[]): ReportCell {
  const statuses = runs.map(({ report }) => report.status);
  const currencies = [...new Set(runs.flatMap(({ report }) => Object.keys(report.spent)))];
  const mean = (currency: string) =>
    runs.reduce((sum, { report }) => sum + (report.spent[currency] ?? 0), 0) / runs.length;
  return {
    id,
    label,
    settings,
    seeds: runs.map(({ report }) => report.seed),
    tested: new Set(runs.flatMap(({ loaded, report }) => (loaded.result?.evaluation ? [report.seed] : []))).size,
    success: successOf(runs, 'policy'),
    spent: Object.fromEntries(currencies.map((currency) => [currency, mean(currency)])),
    status: statusTogether(statuses),
    failure: runs.find(({ report }) => report.failure !== undefined)?.report.failure,
  };
}

/** Success of the trained policy in each environment that it was trained in. */
function successByEnvironment(runs: readonly ReportedRun[]): NonNullable<ReportCell['environments']> {
  const tests = runs.flatMap(({ loaded }) => environmentTests(loaded));
  const names = new Map(tests.map(({ name, environment }) => [name, environment]));
  return Object.fromEntries(
    [...names].flatMap(([name, environment]) => {
      const success = successOf(runs, 'policy', environment);
      return success === null ? [] : [[name, success]];
    }),
  );
}

/** Success of a player over seeds and tasks; for one seed, with the interval of its own evaluation. */
function successOf(runs: readonly ReportedRun[], player: string, environment?: string): ReportRate | null {
  const finals = runs.flatMap(({ loaded }) =>
    loaded.result?.evaluation ? (finalEvaluation(loaded, player, 0, environment)?.evaluation.success ?? []) : [],
  );
  const [only] = finals;
  if (only === undefined) return null;
  if (finals.length === 1) return { rate: only.rate, low: only.low, high: only.high };
  const over = meanOfRuns(outcomesOf(runs, player, environment), 'success');
  if (over === null) return null;
  const { mean: rate, ...interval } = finite(over);
  return { rate, ...interval };
}

/**
 * Compares each setting with each earlier one of the same test, over their common seeds and tasks; `p` is corrected
 * over all pairs (Holm). Runs with one seed each, but different ones, are compared over their tasks only. Settings that
 * train in several environments are also compared in each that they share, with a correction of its own.
 */
export function compareGroups(groups: readonly SeedGroup[]): ReportComparison[] {
  const pairs = groups.flatMap((second, j) => groups.slice(0, j).map((first) => [first, second] as const));
  const whole = pairs.flatMap(([first, second]): ReportComparison[] => {
    // A difference between different tests says nothing about the settings.
    if (first.cell.test !== second.cell.test) return [];
    return compareTwo(first, outcomesOf(first.runs, 'policy'), second, outcomesOf(second.runs, 'policy'));
  });
  const parts = pairs.flatMap(([first, second]) =>
    commonTests(first, second).flatMap(({ key, name }) => {
      const read = ({ runs }: SeedGroup) => oncePerSeed(runs, (run) => outcomesInTest(run, key, 'success', 0));
      return compareTwo(first, read(first), second, read(second)).map((one) => ({ ...one, environment: name }));
    }),
  );
  return [...correctByHolm(whole), ...correctByHolm(parts)];
}

function compareTwo(
  first: SeedGroup,
  a: readonly RunOutcomes[],
  second: SeedGroup,
  b: readonly RunOutcomes[],
): ReportComparison[] {
  const isOneEach = a.length === 1 && b.length === 1;
  const [left, right] = isOneEach ? [withSeed(a, 0), withSeed(b, 0)] : [a, b];
  return comparePair([first.cell.label, left], [second.cell.label, right]).map(turnedToGain);
}

/** Tests in environments that both settings have, if one of them trains in several. */
function commonTests(first: SeedGroup, second: SeedGroup): readonly EnvironmentTest[] {
  const [a = [], b = []] = [first, second].map(({ runs: [run] }) => run && environmentTests(run.loaded));
  if (a.length < 2 && b.length < 2) return [];
  const [more, fewer] = a.length < b.length ? [b, a] : [a, b];
  return more.filter(({ key }) => fewer.some((other) => other.key === key));
}

/** One recipe over its seeds: after reinforcement learning against before, on the same tasks. */
export function gainOverSeeds({ runs }: SeedGroup): ReportComparison[] {
  const [before, after] = [outcomesOf(runs, 'start'), outcomesOf(runs, 'policy')];
  return comparePair(['before RL', before], ['trained', after]);
}

type Side = readonly [label: string, runs: readonly RunOutcomes[]];

function comparePair([a, first]: Side, [b, second]: Side): ReportComparison[] {
  const sides = new Map([
    ['a', first],
    ['b', second],
  ]);
  return compareCells([['a', 'b']], sides, 'success').map((comparison) =>
    reportComparison(comparison, { measure: 'success', a, b }),
  );
}

/** Makes the better one `b`, so that differences are gains. */
function turnedToGain(comparison: ReportComparison): ReportComparison {
  const { a, b, difference } = comparison;
  if (difference.mean >= 0) return comparison;
  const turn = (value: number | null) => (value === null ? null : -value);
  const { mean, low, high } = difference;
  return { ...comparison, a: b, b: a, difference: { ...difference, mean: -mean, low: turn(high), high: turn(low) } };
}

/** The results of a player on the final tasks, once per seed. */
function outcomesOf(runs: readonly ReportedRun[], player: string, environment?: string): RunOutcomes[] {
  return oncePerSeed(runs, (run) => {
    const { manifest } = run;
    const played = finalEvaluation(run, player, 0, environment);
    return played && withPlaces(outcomesOfRun(manifest.recipe.seed, played.outcomes, 'success'), manifest.recipe);
  });
}

function oncePerSeed(runs: readonly ReportedRun[], read: (run: LoadedRun) => RunOutcomes | undefined): RunOutcomes[] {
  const played = runs.flatMap(({ loaded }) => read(loaded) ?? []);
  return [...new Map(played.map((one) => [one.seed, one])).values()];
}

function withSeed(runs: readonly RunOutcomes[], seed: number): RunOutcomes[] {
  return runs.map((run) => ({ ...run, seed }));
}
