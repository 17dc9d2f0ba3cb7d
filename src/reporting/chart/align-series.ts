import type { ReportSeries } from '../report-data.js';

/** The horizontal axis of a curve. */
export type CurveAxis = 'runStep' | 'episodes' | 'seconds';

/** Metrics that never fall can be axes too. */
export type CostAxis = `cost/${string}`;

/** A curve: `x` rises from point to point. */
export interface Curve {
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
  /** The stage of each point, if the curve belongs to one run. */
  readonly stage?: readonly string[] | undefined;
}

/** A mean over curves, with the lowest and the highest of them at each point. */
export interface Band extends Curve {
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
  /** How many curves have a value at each x. */
  readonly carried: readonly number[];
}

/** A training curve with at least this many points is drawn as a running mean. */
const manyPoints = 60;

/** Points of that running mean; 1 if the curve is drawn as measured. */
export function runningWindow(points: number, pointsAStep = 50): number {
  return points < manyPoints ? 1 : 2 * Math.floor(points / pointsAStep) + 3;
}

/** The unit for a time axis of this length, and the seconds in this unit. */
export function timeUnit(longest: number): { readonly unit: 'hours' | 'minutes' | 'seconds'; readonly size: number } {
  if (longest > 7200) return { unit: 'hours', size: 3600 };
  return longest > 180 ? { unit: 'minutes', size: 60 } : { unit: 'seconds', size: 1 };
}

/**
 * A metric of one run along an axis. If several lines share an x (no episode was played in between), the last one
 * counts.
 */
export function curveOf(series: ReportSeries, metric: string, axis: CurveAxis | CostAxis): Curve {
  const column = series.metrics[metric] ?? [];
  const along = isCost(axis) ? (series.metrics[axis] ?? []) : series[axis];
  const x: number[] = [];
  const y: (number | null)[] = [];
  const stage: string[] = [];
  for (const [i, value] of column.entries()) {
    const at = along[i];
    if (value === null || at === null || at === undefined) continue;
    const place = x.at(-1) === at ? x.length - 1 : x.length;
    x[place] = at;
    y[place] = value;
    stage[place] = series.stage[i] ?? '';
  }
  return { x, y, stage };
}

export function isCost(axis: CurveAxis | CostAxis): axis is CostAxis {
  return axis.startsWith('cost/');
}

/**
 * Averages several seeds to one curve. At every x of any seed, each seed is interpolated between its neighbours. A seed
 * counts only if it has values on both sides. So runs of different length or speed are compared where they overlap;
 * beyond that, the mean is over fewer runs.
 */
export function bandOf(curves: readonly Curve[]): Band {
  const x = [...new Set(curves.flatMap((curve) => curve.x))].sort((a, b) => a - b);
  const columns = curves.map((curve) => x.map(interpolator(curve)));
  const at = (i: number) => columns.flatMap((column) => column[i] ?? []);
  const values = x.map((_, i) => at(i));
  const when = (of: (list: number[]) => number) => values.map((list) => (list.length === 0 ? null : of(list)));
  return {
    x,
    y: when((list) => list.reduce((sum, value) => sum + value, 0) / list.length),
    low: when((list) => Math.min(...list)),
    high: when((list) => Math.max(...list)),
    carried: values.map((list) => list.length),
  };
}

/** Interpolates at rising x; null outside of the curve. */
function interpolator({ x, y }: Curve): (at: number) => number | null {
  let right = 0;
  return (at) => {
    while (right < x.length && (x[right] as number) < at) right += 1;
    const [rightX, rightY] = [x[right], y[right]];
    if (rightX === undefined || rightY === undefined || rightY === null) return null;
    if (rightX === at) return rightY;
    const [leftX, leftY] = [x[right - 1], y[right - 1]];
    if (leftX === undefined || leftY === undefined || leftY === null) return null;
    return leftY + ((rightY - leftY) * (at - leftX)) / (rightX - leftX);
  };
}

/**
 * The mean of each point and `window - 1` points around it. At the ends of the curve and of each stage, the window is
 * shorter.
 */
export function smooth({ x, y, stage }: Curve, window: number): Curve {
  const half = Math.floor(window / 2);
  const smoothed = y.map((_, i) => {
    const near = y
      .slice(Math.max(0, i - half), i + half + 1)
      .filter((value, k) => value !== null && stage?.[Math.max(0, i - half) + k] === stage?.[i]);
    return near.length === 0 ? null : near.reduce<number>((sum, value) => sum + (value ?? 0), 0) / near.length;
  });
  return { x, y: smoothed, stage };
}

/** Sums, schedules and settings. Their points have no noise, so a running mean would only be wrong. */
const exact =
  /^(cost\/.+|rollout\/(episodes|horizon)|train\/(learning_rate|epoch|optimizer_steps|groups)|time\/run_seconds)$/;

/** Whether a running mean shows this metric better than its points do. */
export function isNoisy(metric: string): boolean {
  return !exact.test(metric);
}
