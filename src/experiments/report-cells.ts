import type { Json, JsonObject } from '../contracts/json.js';
import type { ReportCell, ReportComparison, ReportRate, ReportRun, ReportStatus } from '../reporting/report-data.js';
import type { Random } from '../contracts/random.js';
import { tInterval } from '../statistics/t-interval.js';
import type { LoadedRun } from './load-run.js';
import { compareBySeed, compareByTask, finalOutcomes, finite } from './report-comparisons.js';

/** A run beside what the page draws of it. */
export interface ReportedRun {
  readonly loaded: LoadedRun;
  readonly report: ReportRun;
}

/** Runs of one recipe that differ in nothing but their seeds. */
export interface SeedGroup {
  readonly cell: ReportCell;
  readonly runs: readonly ReportedRun[];
}

/** Keys of a recipe that do not make it another setting. */
const names = ['seed', 'name', 'description'];

/** Runs by what they were made from, the seed apart; in the order in which the settings first appear. */
export function groupBySettings(runs: readonly ReportedRun[]): SeedGroup[] {
  const groups = new Map<string, ReportedRun[]>();
  for (const run of runs) {
    const key = JSON.stringify(flatten(run.loaded.manifest.recipe));
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  const settings = [...groups.values()].map(([first]) => flatten(first?.loaded.manifest.recipe ?? {}));
  const keys = [...new Set(settings.flatMap((one) => Object.keys(one)))];
  const varying = keys.filter((key) => new Set(settings.map((one) => JSON.stringify(one[key]))).size > 1);
  const own = settings.map((one) => Object.fromEntries(varying.map((key) => [key, one[key] ?? null])));
  const labels = labelsOf(own);
  return [...groups.values()].map((members, i) => ({
    runs: members,
    cell: cellOf(`cell-${i + 1}`, labels[i] ?? '', own[i] ?? {}, members),
  }));
}

/** The leaves of a recipe by their keys; a list is a leaf. */
function flatten(recipe: JsonObject, prefix = ''): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(recipe)
      .filter(([key]) => prefix !== '' || !names.includes(key))
      .flatMap(([key, value]): [string, Json][] =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.entries(flatten(value as JsonObject, `${prefix}${key}.`))
          : [[`${prefix}${key}`, value as Json]],
      ),
  );
}

/**
 * A short name for each setting, no two alike: what its parts are called, as that tells more than what follows from it; and where that is
 * not enough, one more key that tells it from its namesakes.
 */
function labelsOf(settings: readonly Record<string, Json>[]): string[] {
  const [first] = settings;
  if (first === undefined || Object.keys(first).length === 0) return settings.map(() => 'all seeds');
  const keys = Object.keys(first);
  const named = keys.filter((key) => key.endsWith('.name'));
  const chosen = named.length > 0 ? named : keys.slice(0, 3);
  const labels = settings.map((one) => chosen.map((key) => partOf(key, one[key])).join(', '));
  return labels.map((label, i) => {
    const namesakes = settings.filter((_, j) => labels[j] === label && j !== i);
    if (namesakes.length === 0) return label;
    const own = (key: string) => JSON.stringify(settings[i]?.[key]);
    const telling = keys.find((key) => namesakes.every((other) => JSON.stringify(other[key]) !== own(key)));
    return `${label}, ${telling === undefined ? `setting ${i + 1}` : partOf(telling, settings[i]?.[telling])}`;
  });
}

function partOf(key: string, value: Json | undefined): string {
  return key.endsWith('.name') ? textOf(value) : `${key.split('.').at(-1)} ${textOf(value)}`;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** What is told of runs together: the first of these that one of them is. */
const worst: readonly ReportStatus[] = ['running', 'failed', 'interrupted', 'stopped'];

function cellOf(id: string, label: string, settings: Record<string, Json>, runs: readonly ReportedRun[]): ReportCell {
  const statuses = runs.map(({ report }) => report.status);
  const failed = runs.find(({ report }) => report.failure !== undefined);
  const currencies = [...new Set(runs.flatMap(({ report }) => Object.keys(report.spent)))];
  const mean = (currency: string) =>
    runs.reduce((sum, { report }) => sum + (report.spent[currency] ?? 0), 0) / runs.length;
  return {
    id,
    label,
    settings,
    seeds: runs.map(({ report }) => report.seed),
    success: successOf(runs),
    spent: Object.fromEntries(currencies.map((currency) => [currency, mean(currency)])),
    status: worst.find((status) => statuses.includes(status)) ?? 'completed',
    ...(failed?.report.failure !== undefined && { failure: failed.report.failure }),
  };
}

/** Over seeds by t; of one seed the interval of its own evaluation. */
function successOf(runs: readonly ReportedRun[]): ReportRate | null {
  const finals = runs.flatMap(({ loaded }) => loaded.result?.evaluation ?? []);
  const [only] = finals;
  if (only === undefined) return null;
  if (finals.length === 1) return { rate: only.success.rate, low: only.success.low, high: only.success.high };
  const { mean, low, high } = finite(tInterval(finals.map(({ success }) => success.rate)));
  return { rate: mean, low: Math.max(0, low ?? 0), high: Math.min(1, high ?? 1) };
}

/** Each setting against each one before it: by seeds where two or more are common, else by the tasks of one run of each. */
export function compareCells(groups: readonly SeedGroup[], random: Random): ReportComparison[] {
  return groups.flatMap((second, j) =>
    groups.slice(0, j).flatMap((first): ReportComparison[] => {
      const paired = pairUp(first, second, random);
      if (paired === undefined) return [];
      // The better one is `b`, so that differences read as gains.
      const ahead = paired.difference.mean >= 0;
      const turn = (value: number | null) => (value === null ? null : -value);
      const { mean, low, high } = paired.difference;
      return [
        {
          measure: 'success',
          a: ahead ? first.cell.label : second.cell.label,
          b: ahead ? second.cell.label : first.cell.label,
          difference: ahead ? paired.difference : { mean: -mean, low: turn(high), high: turn(low) },
          p: null,
          corrected: null,
          pairs: paired.pairs,
        },
      ];
    }),
  );
}

function pairUp(first: SeedGroup, second: SeedGroup, random: Random): ReturnType<typeof compareByTask> {
  const bySeed = (group: SeedGroup) =>
    new Map(
      group.runs.flatMap(({ loaded, report }) => {
        const final = finalOutcomes(loaded, 'policy');
        return final === undefined ? [] : [[report.seed, final] as const];
      }),
    );
  const [a, b] = [bySeed(first), bySeed(second)];
  const seeds = [...a.keys()].filter((seed) => b.has(seed));
  const rates = (of: typeof a) => seeds.flatMap((seed) => of.get(seed)?.rate ?? []);
  if (seeds.length > 1) return compareBySeed(rates(a), rates(b));
  const [one, other] = [[...a.values()][0], [...b.values()][0]];
  return one && other && compareByTask(one, other, random);
}

/** One recipe over its seeds: after reinforcement learning against before it. */
export function gainOverSeeds({ runs }: SeedGroup): ReportComparison[] {
  const pairs = runs.flatMap(({ loaded }) => {
    const [before, after] = [finalOutcomes(loaded, 'start'), finalOutcomes(loaded, 'policy')];
    return before && after ? [{ before: before.rate, after: after.rate }] : [];
  });
  if (pairs.length < 2) return [];
  const paired = compareBySeed(
    pairs.map(({ before }) => before),
    pairs.map(({ after }) => after),
  );
  return [{ measure: 'success', a: 'before RL', b: 'trained', p: null, corrected: null, ...paired }];
}
