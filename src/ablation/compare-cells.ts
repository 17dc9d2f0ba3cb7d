import { reservationOf, type Reservable } from '../reporting/reservations.js';
import { crossedDifference } from '../statistics/crossed-difference.js';
import { crossedInterval, type CrossedInterval } from '../statistics/crossed-interval.js';
import { detectableEffect } from '../statistics/detectable-effect.js';
import { correctByHolm } from '../statistics/holm.js';
import { mean } from '../statistics/mean.js';
import { unpairedDifference } from '../statistics/unpaired-difference.js';
import { alignOutcomes, type AlignedOutcomes } from './align-outcomes.js';
import type { Measure, RunOutcomes } from './read-outcomes.js';

/** An estimate over seeds and tasks. Its 95 % interval generalizes to other seeds and other tasks. */
export interface CellMean extends Reservable {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The difference `b - a`. */
export interface CellComparison {
  readonly a: string;
  readonly b: string;
  readonly difference: CellMean;
  /** Two-sided, from the same statistic as the interval. */
  readonly p: number;
  /** After Holm's correction over all comparisons of the ablation. */
  readonly corrected: number;
  /** Number of compared seeds, and below of compared tasks. */
  readonly seeds: number;
  readonly tasks: number;
  /** The smallest true difference that would be found four times in five. Absent with one seed or without pairs. */
  readonly detectable?: number;
  /** `paired`: each seed on each task; `unpaired`: the cells play different tasks. */
  readonly design: 'paired' | 'unpaired';
}

/** The bounds of outcomes, if known. */
export const boundsOf = (measure: Measure): { bounds?: readonly [number, number] } =>
  measure === 'success' ? { bounds: [0, 1] } : {};

/**
 * Runs share their tasks if the common tasks are at least this fraction of the tasks of the smallest run. Failed
 * episodes can remove tasks.
 */
const mostlyShared = 0.9;

/** The tasks that all runs played. Undefined if each run was evaluated on its own tasks. */
export function sharedTasks(runs: readonly RunOutcomes[]): AlignedOutcomes | undefined {
  const aligned = alignOutcomes(runs);
  const fewest = Math.min(...runs.map(({ values }) => values.size));
  return aligned !== undefined && aligned.tasks >= mostlyShared * fewest ? aligned : undefined;
}

/** Mean over seeds and tasks, or over seeds alone if each was evaluated on its own tasks. Undefined without runs. */
export function cellMean(runs: readonly RunOutcomes[], measure: Measure): CrossedInterval | undefined {
  if (runs.length === 0 || runs.some(({ values }) => values.size === 0)) return undefined;
  const shared = sharedTasks(runs);
  const bounds = boundsOf(measure);
  if (shared !== undefined) return crossedInterval(shared.rows, { weights: shared.weights, ...bounds });
  return crossedInterval(
    runs.map(({ values }) => [mean([...values.values()])]),
    bounds,
  );
}

/**
 * `cellMean` without the parts that only comparisons need. A single run has the interval of its own evaluation, so that
 * tables of cells and tables of runs show the same one. Null without runs.
 */
export function meanOfRuns(runs: readonly RunOutcomes[], measure: Measure): CellMean | null {
  const [only] = runs;
  if (runs.length === 1 && only?.own !== undefined) {
    const { rate, low, high } = only.own;
    return { mean: rate, low, high, ...reservationOf(1, false) };
  }
  const found = cellMean(runs, measure);
  return found === undefined ? null : toCellMean(found);
}

/** An interval in the form that results report. */
export function toCellMean({ mean, low, high, estimate }: CrossedInterval): CellMean {
  return { mean, low, high, ...reservationOf(estimate.seeds, estimate.narrow) };
}

/**
 * Whether a difference counts as real: significant after correction for the number of comparisons, with a reliable
 * interval.
 */
export function isSeparable({ corrected, difference }: Pick<CellComparison, 'corrected' | 'difference'>): boolean {
  return corrected < level && difference.reservation === undefined;
}

/** Significance level of the test of a difference. */
export const level = 0.05;

/** Compares pairs of cells; pairs without a common seed are left out. */
export function compareCells(
  pairs: readonly (readonly [a: string, b: string])[],
  outcomes: ReadonlyMap<string, readonly RunOutcomes[]>,
  measure: Measure,
): readonly CellComparison[] {
  const compared = pairs.flatMap(([a, b]) =>
    comparePair([a, outcomes.get(a) ?? []], [b, outcomes.get(b) ?? []], measure),
  );
  return correctByHolm(compared);
}

type Side = readonly [id: string, runs: readonly RunOutcomes[]];

function comparePair([a, first]: Side, [b, second]: Side, measure: Measure): Omit<CellComparison, 'corrected'>[] {
  const seeds = first.map(({ seed }) => seed).filter((seed) => second.some((other) => other.seed === seed));
  const ofSeeds = (runs: readonly RunOutcomes[]) =>
    seeds.flatMap((seed) => runs.find((run) => run.seed === seed) ?? []);
  const shared = sharedTasks([...ofSeeds(first), ...ofSeeds(second)]);
  const pairs = shared ?? pairsBySeed(ofSeeds(first), ofSeeds(second));
  if (seeds.length === 0 || pairs === undefined) return compareUnpaired([a, first], [b, second], measure);
  const { rows, weights, tasks } = pairs;
  const found = crossedDifference(rows.slice(0, seeds.length), rows.slice(seeds.length), {
    weights,
    ...boundsOf(measure),
  });
  const effect = seeds.length < 2 ? {} : { detectable: detectableEffect(found.estimate) };
  return [{ a, b, difference: toCellMean(found), p: found.p, seeds: seeds.length, tasks, design: 'paired', ...effect }];
}

/**
 * For seeds that were evaluated on different tasks. Each seed gives one pair of means, over the tasks that both of its
 * runs played.
 */
function pairsBySeed(first: readonly RunOutcomes[], second: readonly RunOutcomes[]): AlignedOutcomes | undefined {
  const pairs = first.map((run, index) => alignOutcomes([run, ...second.slice(index, index + 1)]));
  if (pairs.length === 0 || pairs.some((pair) => pair === undefined)) return undefined;
  const mean = (side: 0 | 1) =>
    pairs.map((pair) => {
      const total = pair?.weights.reduce((sum, weight) => sum + weight, 0) ?? 1;
      const sum = pair?.rows[side]?.reduce((part, value, column) => part + value * (pair.weights[column] ?? 0), 0) ?? 0;
      return [sum / total];
    });
  return { rows: [...mean(0), ...mean(1)], weights: [1], tasks: Math.min(...pairs.map((pair) => pair?.tasks ?? 0)) };
}

/** Compares cells with different tasks, such as those of a complexity axis. */
function compareUnpaired([a, first]: Side, [b, second]: Side, measure: Measure): Omit<CellComparison, 'corrected'>[] {
  const [left, right] = [cellMean(first, measure), cellMean(second, measure)];
  if (left === undefined || right === undefined) return [];
  const { p, ...interval } = unpairedDifference(left, right);
  const seeds = Math.min(first.length, second.length);
  const difference = { ...interval, ...reservationOf(seeds, left.estimate.narrow || right.estimate.narrow) };
  const tasks = Math.min(...[...first, ...second].map(({ values }) => values.size));
  return [{ a, b, difference, p, seeds, tasks, design: 'unpaired' }];
}
